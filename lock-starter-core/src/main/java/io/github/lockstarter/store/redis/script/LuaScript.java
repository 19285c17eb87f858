package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A script of the store, read from its file once. Spring's {@code DefaultRedisScript} checks the file for changes on
 * each call. Each file describes its keys, arguments and results.
 *
 * <p>A script cannot call another one, so a line {@code -- include lock.lua} stands for the text of that file. It
 * follows the part of a script that needs none of these functions, because Redis would create all of them at each call.
 */
public enum LuaScript implements RedisScript<Object> {
    ACQUIRE(String.class),
    RELEASE(Long.class),
    KEEP(Long.class),
    DOWNGRADE(Long.class),
    RENEW(List.class),
    INSPECT(List.class),
    REGISTER(Long.class),
    INSTANCE(List.class),
    FORMAT(Long.class),
    CHECK(List.class);

    private final String text;

    private final String sha1;

    private final Class<?> resultType;

    LuaScript(Class<?> resultType) {
        String include = "-- include ";
        this.text = read(name().toLowerCase(Locale.ROOT) + ".lua")
                .lines()
                .map(line -> line.startsWith(include) ? read(line.substring(include.length())) : line)
                .collect(Collectors.joining("\n"));
        this.sha1 = DigestUtils.sha1DigestAsHex(this.text);
        this.resultType = resultType;
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
