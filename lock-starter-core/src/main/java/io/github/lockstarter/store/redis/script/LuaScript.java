package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A script of the store, assembled from its file once. Spring's {@code DefaultRedisScript} checks the file for changes
 * on each call. Each file describes its keys, arguments and results.
 *
 * <p>Proxies of managed services check the texts. In each call of a command, they want its name as a literal and its
 * key as literally {@code KEYS[1]}; they refuse {@code unpack}, keys in variables and expressions, and calls inside of
 * calls; and they may read comments as text. Repetitions are therefore generated, by these lines of the files:
 *
 * <ul>
 *   <li>{@code -- include lock.lua}: the text of that file, because a script cannot call another one. It follows the
 *       part of a script that needs none of these functions: Redis would create all of them at each call.
 *       Where the server lacks what it needs, another text replaces it.
 *   <li>{@code -- each key} up to {@code -- end}: that part for each key, with its number instead of {@code N}; with
 *       other words after {@code each}, for each of these. Outside of these parts, {@code KEYS[N]} is the only key.
 *   <li>{@code -- unrolled setFields pcall HSET 2}: a function of that name that executes {@code HSET} with two words a
 *       field, by a call for each number of fields: 1 to 8, and 64.
 * </ul>
 */
public enum LuaScript implements RedisScript<Object> {
    ACQUIRE(String.class),
    RELEASE(Long.class),
    KEEP(Long.class),
    DOWNGRADE(Long.class),
    RENEW(List.class),
    RENEW_2(List.class, 2),
    RENEW_4(List.class, 4),
    RENEW_8(List.class, 8),
    RENEW_16(List.class, 16),
    RENEW_32(List.class, 32),
    RENEW_64(List.class, 64),
    INSPECT(List.class),
    REGISTER(Long.class),
    INSTANCE(List.class),
    FORMAT(Long.class),
    CHECK(List.class),
    CHECK_MESSAGES(List.class),
    CHECK_TIME(List.class);

    /** Locks that one call renews: enough to share its cost, and few enough to block Redis for less than a millisecond. */
    public static final int MAX_RENEWALS = 64;

    private static final String MESSAGES = "messages.lua";

    /** The files that read the time of the server, or need it in the texts without {@code TIME}. */
    private static final Set<String> TIME = Set.of("now.lua", "left.lua", "free.lua");

    /** The number of keys in each call. */
    public final int keys;

    private final String text;

    private final String sha1;

    private final Class<?> resultType;

    LuaScript(Class<?> resultType) {
        this(resultType, 1);
    }

    LuaScript(Class<?> resultType, int keys) {
        this.keys = keys;
        this.text = assemble(true, true);
        this.sha1 = DigestUtils.sha1DigestAsHex(this.text);
        this.resultType = resultType;
    }

    /** Returns the script that renews that many locks, or else the next larger number of them. */
    public static LuaScript renewing(int locks) {
        return Stream.of(RENEW, RENEW_2, RENEW_4, RENEW_8, RENEW_16, RENEW_32)
                .filter(each -> each.keys >= locks)
                .findFirst()
                .orElse(RENEW_64);
    }

    /**
     * Returns the text as it is sent, without comments.
     *
     * @param publishes whether the script publishes messages and counts their receivers; otherwise the text contains no
     *     command for that, except if it has no other purpose
     * @param hasTime whether the script asks for the time by {@code TIME}; otherwise {@code PEXPIRETIME} and {@code
     *     PTTL} show it, which has milliseconds then
     */
    String assemble(boolean publishes, boolean hasTime) {
        String file = name().toLowerCase(Locale.ROOT).replaceFirst("_\\d+$", "") + ".lua";
        StringBuilder assembled = new StringBuilder();
        StringBuilder part = assembled;
        String[] repetitions = {};
        for (String line : lines(file, publishes, hasTime).toList()) {
            if (line.startsWith("-- each ")) {
                part = new StringBuilder();
                repetitions = line.equals("-- each key")
                        ? IntStream.rangeClosed(1, this.keys)
                                .mapToObj(Integer::toString)
                                .toArray(String[]::new)
                        : line.substring("-- each ".length()).split(" ");
            } else if (line.equals("-- end")) {
                for (String each : repetitions) {
                    assembled.append(part.toString().replaceAll("\\bN\\b", each));
                }
                part = assembled;
            } else if (line.startsWith("-- unrolled ")) {
                part.append(unrolled(line.substring("-- unrolled ".length()).split(" ")));
            } else if (!line.isEmpty() && !line.startsWith("--")) {
                part.append(line).append('\n');
            }
        }
        return assembled.toString().replace("KEYS[N]", "KEYS[1]");
    }

    private static Stream<String> lines(String file, boolean publishes, boolean hasTime) {
        String include = "-- include ";
        String prefix = !publishes && file.equals(MESSAGES) ? "no_" : !hasTime && TIME.contains(file) ? "no_time_" : "";
        return read(prefix + file)
                .lines()
                .map(String::strip)
                .flatMap(line -> line.startsWith(include) && line.endsWith(".lua")
                        ? lines(line.substring(include.length()), publishes, hasTime)
                        : Stream.of(line));
    }

    /**
     * Returns the script for a server that refuses {@code TIME} in scripts, in the text without it; this script if both
     * texts are the same.
     */
    public RedisScript<Object> withoutTime() {
        return WithoutTime.SCRIPTS.getOrDefault(this, this);
    }

    /** The scripts that have another text without {@code TIME}; most applications never need them. */
    private static final class WithoutTime {

        static final Map<LuaScript, RedisScript<Object>> SCRIPTS = new EnumMap<>(LuaScript.class);

        static {
            for (LuaScript script : LuaScript.values()) {
                String other = script.assemble(true, false);
                if (!other.equals(script.text)) {
                    SCRIPTS.put(script, RedisScript.of(other, script.getResultType()));
                }
            }
        }
    }

    /** Returns a function with a call of the command for each width; see its words at the head of the class. */
    private static String unrolled(String[] words) {
        StringBuilder function = new StringBuilder("local function " + words[0] + "(words, i, fields)\nlocal reply\n");
        for (int width : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 64}) {
            function.append(width == 1 ? "if" : "elseif").append(" fields == " + width + " then\n");
            function.append("reply = redis." + words[1] + "('" + words[2] + "', KEYS[1]");
            for (int i = 0; i < width * Integer.parseInt(words[3]); i++) {
                function.append(", words[i + " + i + ']');
            }
            function.append(")\n");
        }
        return function.append("end\nreturn reply\nend\n").toString();
    }

    private static String read(String file) {
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(
                        Printable.of("The script " + file + " is missing from the lock-starter-core jar."));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public String getSha1() {
        return this.sha1;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Class<Object> getResultType() {
        return (Class<Object>) this.resultType;
    }

    @Override
    public String getScriptAsString() {
        return this.text;
    }
}
