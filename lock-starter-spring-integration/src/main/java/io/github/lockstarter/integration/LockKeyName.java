package io.github.lockstarter.integration;

import io.github.lockstarter.key.StableText;
import io.github.lockstarter.key.UnstableTextException;
import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Name of the lock for a key of Spring Integration, which may be any object whose text is the same in every JVM. */
final class LockKeyName {

    private static final int LONGEST_NAME = 512;

    private LockKeyName() {}

    static String of(String prefix, Object key) {
        String name = prefix + ':' + text(key);
        if (name.length() * 3L <= LONGEST_NAME || name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME) {
            return name;
        }
        // Paths of files are keys here, and can be longer than a name.
        return prefix + ":sha256-" + digest(name);
    }

    private static String text(Object key) {
        try {
            return StableText.of(key);
        } catch (UnstableTextException ex) {
            throw new IllegalArgumentException(
                    Printable.of("A lock key is " + ex.getMessage()
                            + " Two instances would use two locks for it. Use a String, a number or a UUID, for example"
                            + " with a correlation strategy that returns one."),
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
