package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A script of the store, read from its file once. Spring's {@code DefaultRedisScript} checks the file for changes on
 * each call. Each file describes its keys, arguments and results. Immutable.
 */
public final class LuaScript<T> implements RedisScript<T> {

    public static final LuaScript<Long> ACQUIRE = new LuaScript<>("acquire.lua", true, Long.class);

    public static final LuaScript<Long> RELEASE = new LuaScript<>("release.lua", true, Long.class);

    public static final LuaScript<Long> KEEP = new LuaScript<>("keep.lua", true, Long.class);

    public static final LuaScript<Long> DOWNGRADE = new LuaScript<>("downgrade.lua", true, Long.class);

    public static final LuaScript<List<Object>> RENEW = new LuaScript<>("renew.lua", true, listOfObjects());

    public static final LuaScript<List<Object>> INSPECT = new LuaScript<>("inspect.lua", true, listOfObjects());

    public static final LuaScript<Long> REGISTER = new LuaScript<>("register.lua", false, Long.class);

    public static final LuaScript<List<Object>> CONFIRM = new LuaScript<>("confirm.lua", true, listOfObjects());

    public static final LuaScript<List<Object>> CHECK = new LuaScript<>("check.lua", false, listOfObjects());

    private final String text;

    private final String sha1;

    private final Class<T> resultType;

    /**
     * Reads a script.
     *
     * @param shared whether it uses the functions for locks in shared use, which then precede its text
     */
    private LuaScript(String file, boolean shared, Class<T> resultType) {
        this.text = shared ? read("shared.lua") + '\n' + read(file) : read(file);
        this.sha1 = DigestUtils.sha1DigestAsHex(this.text);
        this.resultType = resultType;
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
