package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A script of the store, read from its file once. Spring's {@code DefaultRedisScript} checks the file for changes on
 * each call. Each file describes its keys, arguments and results. Immutable.
 *
 * <p>A script cannot call another one, so a line {@code -- include lock.lua} stands for the text of that file. It follows
 * the part of a script that needs none of these functions, because Redis would create all of them at each call.
 */
public final class LuaScript<T> implements RedisScript<T> {

    /** Begins a line that stands for the text of another file. */
    private static final String INCLUDE = "-- include ";

    public static final LuaScript<List<Object>> ACQUIRE = new LuaScript<>("acquire.lua", listOfObjects());

    public static final LuaScript<Long> RELEASE = new LuaScript<>("release.lua", Long.class);

    public static final LuaScript<Long> KEEP = new LuaScript<>("keep.lua", Long.class);

    public static final LuaScript<Long> DOWNGRADE = new LuaScript<>("downgrade.lua", Long.class);

    public static final LuaScript<List<Object>> RENEW = new LuaScript<>("renew.lua", listOfObjects());

    public static final LuaScript<List<Object>> INSPECT = new LuaScript<>("inspect.lua", listOfObjects());

    public static final LuaScript<Long> REGISTER = new LuaScript<>("register.lua", Long.class);

    public static final LuaScript<List<Object>> INSTANCE = new LuaScript<>("instance.lua", listOfObjects());

    public static final LuaScript<List<Object>> CONFIRM = new LuaScript<>("confirm.lua", listOfObjects());

    public static final LuaScript<Long> FORMAT = new LuaScript<>("format.lua", Long.class);

    public static final LuaScript<List<Object>> CHECK = new LuaScript<>("check.lua", listOfObjects());

    private final String text;

    private final String sha1;

    private final Class<T> resultType;

    private LuaScript(String file, Class<T> resultType) {
        this.text = read(file).lines().map(LuaScript::included).collect(Collectors.joining("\n"));
        this.sha1 = DigestUtils.sha1DigestAsHex(this.text);
        this.resultType = resultType;
    }

    private static String included(String line) {
        return line.startsWith(INCLUDE) ? read(line.substring(INCLUDE.length())) : line;
    }

    @SuppressWarnings("unchecked")
    private static Class<List<Object>> listOfObjects() {
        return (Class<List<Object>>) (Class<?>) List.class;
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
    public Class<T> getResultType() {
        return this.resultType;
    }

    @Override
    public String getScriptAsString() {
        return this.text;
    }
}
