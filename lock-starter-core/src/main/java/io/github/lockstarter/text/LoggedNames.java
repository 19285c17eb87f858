package io.github.lockstarter.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How messages name a lock: in full, or without its key, which may be personal data. */
public enum LoggedNames {

    /** By its full name. */
    WITH_KEYS {
        @Override
        public String of(String lockName) {
            return Printable.of(lockName);
        }
    },

    /**
     * By its static name and, in the place of the key, the first eight hexadecimal digits of the SHA-256 of its full name
     * in UTF-8: {@code order:#1f3a9c02}. The same lock has the same digits in all messages of all instances. Who can guess
     * a key can compare its digits.
     */
    WITHOUT_KEYS {
        @Override
        public String of(String lockName) {
            int colon = lockName.indexOf(':');
            return colon < 0
                    ? Printable.of(lockName)
                    : Printable.of(lockName.substring(0, colon)) + ":#" + digest(lockName);
        }
    };

    private static final int DIGITS = 8;

    /** Returns how to name locks if keys are to be logged, or are not. */
    public static LoggedNames withKeys(boolean logKeys) {
        return logKeys ? WITH_KEYS : WITHOUT_KEYS;
    }

    /**
     * Returns what messages show of a static name where only that is wanted, whether keys are logged or not. A name that
     * begins with a colon has no part that is not its key, and is replaced by its digest: {@code :#1f3a9c02}.
     */
    public static String ofStatic(String name) {
        return name.startsWith(":") ? WITHOUT_KEYS.of(name) : Printable.of(name);
    }

    /** Returns what messages call the lock of that full name: one printable text. */
    public abstract String of(String lockName);

    private static String digest(String lockName) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(lockName.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, DIGITS / 2);
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-256.", ex);
        }
    }
}
