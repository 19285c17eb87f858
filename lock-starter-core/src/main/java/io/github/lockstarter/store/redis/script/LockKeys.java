package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.LoggedNames;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Maps names of locks to Redis keys, {@code prefix:{name}}, and back, and names the channels of instances. The braces
 * are a hash tag, which keeps all data of a lock in one slot of a cluster. Characters that would end the tag early, and
 * control characters, are percent-encoded: every name has a key, and no two names have the same. Immutable.
 */
public final class LockKeys {

    /** Field of a lock's hash with the id of the owning acquisition; it exists if and only if the lock is owned. */
    public static final String OWNER = "o";

    /** End of {@link #instancePattern()}. */
    public static final String ANY_INSTANCE = ":instance:*";

    /** End of {@link #ofFormat()}. */
    public static final String FORMAT = ":format";

    private final String prefix;

    private final String keyStart;

    private final String channelPrefix;

    private final LoggedNames names;

    /**
     * Creates the mapping.
     *
     * @param prefix prefix of all keys and channels, without braces
     * @param names how messages name locks
     */
    public LockKeys(String prefix, LoggedNames names) {
        this.names = names;
        this.prefix = prefix;
        this.keyStart = prefix + ":{";
        this.channelPrefix = prefix + ":inbox:";
    }

    /**
     * Returns the lock as messages name it, such as {@code lock 'a'}; with a digest instead of the key if so
     * configured.
     */
    public String describe(String lockName) {
        return "lock '" + this.names.of(lockName) + '\'';
    }

    /** Returns the prefix of all keys and channels. */
    public String prefix() {
        return this.prefix;
    }

    /** Returns the key of the lock. */
    public String keyOf(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= '{' || c == '%') {
                return this.keyStart + encode(name) + '}';
            }
        }
        return this.keyStart + name + '}';
    }

    /**
     * Returns a key that no lock has. Keys whose last characters differ in one bit are in different slots of a cluster,
     * because empty braces are no hash tag.
     */
    public String ofNoLock(char last) {
        return this.keyStart + '}' + last;
    }

    /**
     * Returns a key that no lock has, and whose slot is far from that of the channel, so that it belongs to another
     * shard if there are several.
     */
    public String farFrom(String channel) {
        int slot = ClusterSlotHashUtil.calculateSlot(channel);
        return IntStream.rangeClosed('0', 'z')
                .mapToObj(last -> ofNoLock((char) last))
                .max(Comparator.comparingInt(key -> Math.abs(ClusterSlotHashUtil.calculateSlot(key) - slot)))
                .orElseThrow();
    }

    /** Returns the pattern of all keys and channels, in the form of access rules. */
    public String pattern() {
        return this.keyStart.substring(0, this.keyStart.length() - 1) + '*';
    }

    /** Returns the name of the lock with that key, or {@code null} if it is not the key of a lock. */
    public @Nullable String nameOf(String key) {
        if (!key.startsWith(this.keyStart) || key.indexOf('}') != key.length() - 1) {
            return null;
        }
        String encoded = key.substring(this.keyStart.length(), key.length() - 1);
        try {
            String name = encoded.indexOf('%') < 0 ? encoded : decode(encoded);
            // Foreign data may have a key that decodes to the name of another key.
            return keyOf(name).equals(key) ? name : null;
        } catch (IndexOutOfBoundsException | NumberFormatException ex) {
            return null;
        }
    }

    /** Returns the key of the description of an instance. It is no key of a lock, because it has no braces. */
    public String ofInstance(String instance) {
        return this.prefix + ":instance:" + instance;
    }

    /** Returns the pattern of the keys of all instances, in the form of access rules: with {@code ~}. */
    public String instancePattern() {
        return '~' + this.prefix + ANY_INSTANCE;
    }

    /** Returns the key of the version of the format in which locks are stored. It is no key of a lock, as above. */
    public String ofFormat() {
        return this.prefix + FORMAT;
    }

    /** Returns the channel on which the inbox receives messages about locks that were granted to its instance. */
    public String channelOf(String inbox) {
        return this.channelPrefix + inbox;
    }

    /** Returns the prefix of all channels; an inbox follows it. */
    public String channelPrefix() {
        return this.channelPrefix;
    }

    private static String encode(String name) {
        StringBuilder encoded = new StringBuilder(name.length() + 16);
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (mustEncode(name, i)) {
                encoded.append(String.format(Locale.ROOT, c < 0x100 ? "%%%02X" : "%%u%04X", (int) c));
            } else {
                encoded.append(c);
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
        if (c == '{' || c == '}' || c == '%' || Character.isISOControl(c)) {
            return true;
        }
        // UTF-8 cannot encode unpaired surrogates: all of them would become the same question mark.
        return Character.isHighSurrogate(c)
                ? i + 1 == name.length() || !Character.isLowSurrogate(name.charAt(i + 1))
                : Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(name.charAt(i - 1)));
    }
}
