package io.github.lockstarter.integration;

import io.github.lockstarter.key.StableText;
import io.github.lockstarter.key.UnstableTextException;
import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Converts keys of Spring Integration to names of locks. A key may be any object whose text is the same in every JVM.
 */
final class LockKeyName {

    private static final int MAX_NAME = 512;

    private LockKeyName() {}

    /**
     * Returns the name of the lock.
     *
     * @throws IllegalArgumentException if the text of the key may differ between JVMs
     */
    static String of(String prefix, Object key) {
        String name = prefix + ':' + text(key);
        if (name.length() * 3L <= MAX_NAME || name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME) {
            return name;
        }
        // Spring Integration uses paths of files as keys, which can be longer than a name may be.
        return prefix + ":sha256-" + digest(name);
    }

    private static String text(Object key) {
        try {
            return StableText.of(key);
        } catch (UnstableTextException ex) {
            throw new IllegalArgumentException(
                    Printable.of("A lock key is " + ex.getMessage()
                            + " Two instances would use different locks for it. Use a String, a number or a UUID, for"
                            + " example by a correlation strategy that returns one."),
                    ex);
        }
    }

    private static String digest(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(name.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-256.", ex);
        }
    }
}
