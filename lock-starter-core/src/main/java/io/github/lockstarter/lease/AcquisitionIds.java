package io.github.lockstarter.lease;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * Draws the ids of acquisitions: 128 random bits, never derived from a thread or an instance, for both can be cloned or
 * reused and an id must not be.
 */
final class AcquisitionIds {

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final SecureRandom random = new SecureRandom();

    String next() {
        byte[] bits = new byte[16];
        this.random.nextBytes(bits);
        return ENCODER.encodeToString(bits);
    }
}
