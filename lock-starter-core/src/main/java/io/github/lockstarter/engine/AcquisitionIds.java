package io.github.lockstarter.engine;

import io.github.lockstarter.store.GrantKind;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Generates the ids of the acquisitions of one run of a registry: {@code <instance>-<random>}. The id of the instance
 * has 11 characters (64 random bits) and is the same for the whole run. The 10 characters after the separator (59 bits)
 * are drawn for each acquisition, so a cloned machine does not repeat an id. Thread-safe.
 */
public final class AcquisitionIds {

    /*
     * Implementation note. All characters are 0-9, A-Z or a-z, and both parts have a fixed width. Therefore an id can
     * be split without a search, and needs no escaping in a waiting line or in the name of a channel. 62^11 exceeds
     * 2^64. 62^10 is about 2^59.5; because 63 random bits are taken modulo 62^10, some ids are 10 % more probable than
     * others.
     */

    private static final byte[] DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.ISO_8859_1);

    private static final int RADIX = 62;

    private static final char SEPARATOR = '-';

    private static final int INSTANCE_LENGTH = 11;

    private static final int LENGTH = INSTANCE_LENGTH + 1 + 10;

    private final SecureRandom random = new SecureRandom();

    /** An id with an empty random part. */
    private final byte[] template = new byte[LENGTH];

    private final String instance;

    public AcquisitionIds() {
        long bits = randomBits();
        for (int i = INSTANCE_LENGTH - 1; i >= 0; i--) {
            this.template[i] = DIGITS[(int) Long.remainderUnsigned(bits, RADIX)];
            bits = Long.divideUnsigned(bits, RADIX);
        }
        this.template[INSTANCE_LENGTH] = SEPARATOR;
        this.instance = new String(this.template, 0, INSTANCE_LENGTH, StandardCharsets.ISO_8859_1);
    }

    /** Returns the id of the instance, which is the first part of all of these ids. */
    public String instance() {
        return this.instance;
    }

    /** Returns the id of a new acquisition. */
    public String next() {
        byte[] id = this.template.clone();
        long bits = randomBits() >>> 1;
        for (int i = LENGTH - 1; i > INSTANCE_LENGTH; i--) {
            id[i] = DIGITS[(int) (bits % RADIX)];
            bits /= RADIX;
        }
        return new String(id, StandardCharsets.ISO_8859_1);
    }

    private long randomBits() {
        byte[] bytes = new byte[Long.BYTES];
        this.random.nextBytes(bytes);
        long bits = 0;
        for (byte each : bytes) {
            bits = bits << Byte.SIZE | (each & 0xFF);
        }
        return bits;
    }

    /**
     * Returns the id of the instance of an acquisition.
     *
     * @return the id, or {@code null} if the acquisition id does not have the form of this class, because an older
     *     version or another tool created it
     */
    public static @Nullable String instanceOf(String acquisitionId) {
        // A dot separates the suffix that states the kind of a shared grant.
        if (acquisitionId.length() < LENGTH
                || acquisitionId.charAt(INSTANCE_LENGTH) != SEPARATOR
                || (acquisitionId.length() > LENGTH && acquisitionId.charAt(LENGTH) != '.')) {
            return null;
        }
        for (int i = 0; i < LENGTH; i++) {
            if (i != INSTANCE_LENGTH && !isDigit(acquisitionId.charAt(i))) {
                return null;
            }
        }
        return acquisitionId.substring(0, INSTANCE_LENGTH);
    }

    /** Returns whether the id has the form and the instance of the ids that this object generates. */
    public boolean isOwn(String acquisitionId) {
        return this.instance.equals(instanceOf(acquisitionId))
                && GrantKind.of(acquisitionId)
                        .idOf(acquisitionId.substring(0, LENGTH))
                        .equals(acquisitionId);
    }

    private static boolean isDigit(char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }
}
