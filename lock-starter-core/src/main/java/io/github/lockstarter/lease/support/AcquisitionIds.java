package io.github.lockstarter.lease.support;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * Generates the ids of acquisitions: 128 random bits. They are not derived from a thread or an instance, because both can
 * be cloned or reused, and an id must be unique.
 */
public final class AcquisitionIds {

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final SecureRandom random = new SecureRandom();

    public String next() {
        byte[] bits = new byte[16];
        this.random.nextBytes(bits);
        return ENCODER.encodeToString(bits);
    }
}
