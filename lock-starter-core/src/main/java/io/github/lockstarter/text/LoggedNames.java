package io.github.lockstarter.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Determines how messages name locks: in full, or without the key, which may be personal data. */
public enum LoggedNames {

    /** Uses the full name. */
    WITH_KEYS {
        @Override
        public String of(String lockName) {
            return Printable.of(lockName);
        }
    },

    /**
     * Uses the static name and, instead of the key, the first eight hexadecimal digits of the SHA-256 of the full name
     * in UTF-8: {@code order:#1f3a9c02}. A lock has the same digits in all messages of all instances. The digest does
     * not protect keys that can be guessed.
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

    /** Returns {@link #WITH_KEYS} or {@link #WITHOUT_KEYS}. */
    public static LoggedNames withKeys(boolean logKeys) {
        return logKeys ? WITH_KEYS : WITHOUT_KEYS;
    }

    /**
     * Returns a static name for messages, whether keys are logged or not. A name that begins with a colon consists of a
     * key alone, and is replaced by its digest: {@code :#1f3a9c02}.
     */
    public static String ofStatic(String name) {
        return name.startsWith(":") ? WITHOUT_KEYS.of(name) : Printable.of(name);
    }

    /**
     * Returns the name of the lock for messages, which is {@link Printable}.
     *
     * @param lockName full name of the lock
     */
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
