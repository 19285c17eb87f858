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

    /** Functions for locks in shared use. */
    private static final String SHARED = "shared.lua";

    public static final LuaScript<Long> ACQUIRE = new LuaScript<>("acquire.lua", Long.class, SHARED);

    public static final LuaScript<Long> RELEASE = new LuaScript<>("release.lua", Long.class, SHARED);

    public static final LuaScript<Long> KEEP = new LuaScript<>("keep.lua", Long.class, SHARED);

    public static final LuaScript<Long> DOWNGRADE = new LuaScript<>("downgrade.lua", Long.class, SHARED);

    public static final LuaScript<List<Object>> RENEW =
            new LuaScript<>("renew.lua", listOfObjects(), SHARED, "renewals.lua");

    public static final LuaScript<List<Object>> INSPECT = new LuaScript<>("inspect.lua", listOfObjects(), SHARED);

    public static final LuaScript<Long> REGISTER = new LuaScript<>("register.lua", Long.class);

    public static final LuaScript<List<Object>> CONFIRM =
            new LuaScript<>("confirm.lua", listOfObjects(), SHARED, "renewals.lua");

    public static final LuaScript<List<Object>> CHECK = new LuaScript<>("check.lua", listOfObjects());

    private final String text;

    private final String sha1;

    private final Class<T> resultType;

    /**
     * Reads a script.
     *
     * @param preceding files with the functions that it uses, whose texts precede its own
     */
    private LuaScript(String file, Class<T> resultType, String... preceding) {
        StringBuilder texts = new StringBuilder();
        for (String each : preceding) {
            texts.append(read(each)).append('\n');
        }
        this.text = texts.append(read(file)).toString();
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
