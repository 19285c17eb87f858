package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LoggedNames;

/**
 * From the name of a lock to its key: {@code prefix:{name}}. The braces put everything of a lock into one slot of a
 * cluster. Whatever would end them early, or read badly in a terminal, is percent-encoded, so that any text is one key
 * and two texts are never the same key.
 */
final class LockKeys {

    private final String before;

    private final String inboxes;

    private final LoggedNames names;

    /** Keys with that prefix; messages name their locks in that way. */
    LockKeys(String prefix, LoggedNames names) {
        this.names = names;
        this.before = prefix + ":{";
        this.inboxes = prefix + ":inbox:";
    }

    /** What messages call the lock. */
    String shown(String lockName) {
        return this.names.of(lockName);
    }

    String keyOf(String lockName) {
        return this.before + encode(lockName) + '}';
    }

    /** A key that no lock has; two of them are in different slots of a cluster. */
    String ofNoLock(char last) {
        // Empty braces do not count, and texts that differ in the last bit alone have different checksums.
        return this.before + '}' + last;
    }

    /** A pattern for everything that ever is written, as access rules want it. */
    String all() {
        return this.before.substring(0, this.before.length() - 1) + '*';
    }

    /** The name whose key that is. */
    String nameOf(String key) {
        String encoded = key.substring(this.before.length(), key.length() - 1);
        return encoded.indexOf('%') < 0 ? encoded : decode(encoded);
    }

    /** Channel on which an instance hears of what was handed to it. */
    String inbox(String instance) {
        return this.inboxes + instance;
    }

    /** What stands before an instance in the name of its channel. */
    String inboxes() {
        return this.inboxes;
    }

    private static String encode(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (mustEncode(name, i)) {
                return encodeFrom(name, i);
            }
        }
        return name;
    }

    private static String encodeFrom(String name, int first) {
        StringBuilder encoded = new StringBuilder(name.length() + 16).append(name, 0, first);
        for (int i = first; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!mustEncode(name, i)) {
                encoded.append(c);
            } else if (c < 0x100) {
                encoded.append('%').append(hex(c >> 4)).append(hex(c));
            } else {
                encoded.append("%u")
                        .append(hex(c >> 12))
                        .append(hex(c >> 8))
                        .append(hex(c >> 4))
                        .append(hex(c));
            }
        }
        return encoded.toString();
    }

    private static String decode(String encoded) {
        StringBuilder name = new StringBuilder(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c != '%') {
                name.append(c);
            } else if (encoded.charAt(i + 1) == 'u') {
                name.append((char) Integer.parseInt(encoded, i + 2, i + 6, 16));
                i += 5;
            } else {
                name.append((char) Integer.parseInt(encoded, i + 1, i + 3, 16));
                i += 2;
            }
        }
        return name.toString();
    }

    private static boolean mustEncode(String name, int i) {
        char c = name.charAt(i);
        if (c > ' ' && c < '{' && c != '%') {
            return false;
        }
        if (c == '{' || c == '}' || c == '%' || Character.isISOControl(c)) {
            return true;
        }
        // UTF-8 has no lone surrogates; all of them would become the same question mark.
        return Character.isHighSurrogate(c)
                ? i + 1 == name.length() || !Character.isLowSurrogate(name.charAt(i + 1))
                : Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(name.charAt(i - 1)));
    }

    private static char hex(int nibble) {
        return "0123456789ABCDEF".charAt(nibble & 0xF);
    }
}
