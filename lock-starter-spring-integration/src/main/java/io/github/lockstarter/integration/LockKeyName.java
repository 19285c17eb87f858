package io.github.lockstarter.integration;

import io.github.lockstarter.LockException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Name of the lock for a key of Spring Integration, which may be any object. Equal keys must give the same name in every
 * JVM: otherwise nobody would exclude anybody, and nobody would notice.
 */
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
        if (key instanceof CharSequence) {
            return key.toString();
        }
        if (key instanceof Enum<?> constant) {
            return constant.name();
        }
        String text = key.toString();
        if (hasNoStableText(key) || text.contains('@' + Integer.toHexString(System.identityHashCode(key)))) {
            throw new IllegalArgumentException(LockException.printable("A lock key of type "
                    + key.getClass().getTypeName() + " has a text that may differ between JVMs, \""
                    + text + "\", so that nobody would exclude anybody. Use a String, a number or a UUID, for"
                    + " example with a correlation strategy that returns one."));
        }
        return text;
    }

    private static boolean hasNoStableText(Object key) {
        return key.getClass().isArray() || key instanceof Iterable || key instanceof Map || key instanceof Optional;
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
