package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
 *
 * <p>A server that refuses commands of a text gets the text without them, see {@link Variant}.
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

    /** A property of a server that needs other texts. */
    public enum Variant {
        /** Scripts return the messages that their client is to publish. */
        RETURNS_MESSAGES(Map.of("messages.lua", "outbox.lua"), "by_client.lua"),
        /**
         * Scripts may not ask for the time by {@code TIME}: they compute it, in milliseconds, from the end of a key.
         */
        WITHOUT_TIME(
                Map.of(
                        "now.lua", "no_time_now.lua",
                        "left.lua", "no_time_left.lua",
                        "free.lua", "no_time_free.lua"),
                null);

        /** The files that replace others, by the names of those. */
        @SuppressWarnings("ImmutableEnumChecker")
        private final Map<String, String> replacements;

        /** Surrounds each script that includes the replaced file, or {@code null}. */
        private final @Nullable String frame;

        Variant(Map<String, String> replacements, @Nullable String frame) {
            this.replacements = replacements;
            this.frame = frame;
        }

        /** Returns the variants that a server needs. */
        public static Set<Variant> needed(boolean returnsMessages, boolean hasTime) {
            if (returnsMessages) {
                return hasTime ? Set.of(RETURNS_MESSAGES) : Set.of(RETURNS_MESSAGES, WITHOUT_TIME);
            }
            return hasTime ? Set.of() : Set.of(WITHOUT_TIME);
        }
    }

    private static final String INCLUDE = "-- include ";

    /** Begins the comment that names the file, or the variant, of the lines that follow. */
    private static final String FILE = "-- file ";

    /**
     * Locks that one call renews: enough to share its cost, and few enough to block Redis for less than a millisecond.
     */
    public static final int MAX_RENEWALS = 64;

    /** The number of keys in each call. */
    public final int keys;

    private final String text;

    private final String sha1;

    private final Class<?> resultType;

    /** A cache. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Map<Set<Variant>, RedisScript<Object>> variants = new ConcurrentHashMap<>();

    LuaScript(Class<?> resultType) {
        this(resultType, 1);
    }

    LuaScript(Class<?> resultType, int keys) {
        this.keys = keys;
        this.text = assemble(Set.of());
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
     * Returns the script for a server that needs these variants: this one if they change nothing of its text.
     *
     * @param needed immutable
     */
    public RedisScript<Object> in(Set<Variant> needed) {
        return this.variants.computeIfAbsent(needed, this::variantOf);
    }

    @SuppressWarnings("unchecked")
    private RedisScript<Object> variantOf(Set<Variant> needed) {
        String assembled = assemble(needed);
        boolean returnsMessages = raw(needed).contains(FILE + Variant.RETURNS_MESSAGES);
        return assembled.equals(this.text)
                ? this
                : RedisScript.of(assembled, returnsMessages ? (Class<Object>) (Class<?>) List.class : getResultType());
    }

    /** Returns the text as it is sent, without comments, with the files that the variants replace. */
    String assemble(Set<Variant> needed) {
        StringBuilder assembled = new StringBuilder();
        StringBuilder part = assembled;
        String[] repetitions = {};
        for (String line : framed(raw(needed), needed)) {
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

    private List<String> raw(Set<Variant> needed) {
        String file = name().toLowerCase(Locale.ROOT).replaceFirst("_\\d+$", "") + ".lua";
        return lines(file, needed).toList();
    }

    private static Stream<String> lines(String file, Set<Variant> needed) {
        Optional<Variant> variant = needed.stream()
                .filter(each -> each.replacements.containsKey(file))
                .findFirst();
        Stream<String> included = read(variant.map(each -> each.replacements.get(file))
                        .orElse(file))
                .lines()
                .map(String::strip)
                .flatMap(line -> line.startsWith(INCLUDE) && line.endsWith(".lua")
                        ? lines(line.substring(INCLUDE.length()), needed)
                        : Stream.of(line));
        return Stream.concat(Stream.of(FILE + variant.map(Enum::name).orElse(file)), included);
    }

    /** Puts a script into the frames of the variants that have replaced a file of it. */
    private static List<String> framed(List<String> script, Set<Variant> needed) {
        List<String> framed = script;
        for (Variant each : needed) {
            if (each.frame != null && script.contains(FILE + each)) {
                List<String> inner = framed;
                framed = read(each.frame)
                        .lines()
                        .map(String::strip)
                        .flatMap(line -> line.equals(INCLUDE + "script") ? inner.stream() : Stream.of(line))
                        .toList();
            }
        }
        return framed;
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
