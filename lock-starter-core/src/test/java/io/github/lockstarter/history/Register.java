package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.Objects;

/**
 * What the locks guard, on a server of its own on which nothing ever fails: per lock, who wrote last. One looks at the
 * fencing tokens of all who read or write, the other takes whatever comes. Used by one thread.
 */
final class Register implements AutoCloseable {

    static final String FENCED = "fenced";

    static final String BARE = "bare";

    private static final String REFUSE_SMALLER = """
            local token = redis.call('HGET', KEYS[1], 'token')
            if ARGV[1] ~= '0' then
              if token and tonumber(token) > tonumber(ARGV[1]) then
                return false
              end
              redis.call('HSET', KEYS[1], 'token', ARGV[1])
            end
            """;

    private static final String READ = REFUSE_SMALLER + "return redis.call('HGET', KEYS[1], 'last') or '-'";

    private static final String WRITE = REFUSE_SMALLER + """
                    redis.call('HSET', KEYS[1], 'last', ARGV[2])
                    return redis.call('HINCRBY', KEYS[1], 'writes', 1)
                    """;

    private final RedisCli redis;

    Register(int port) {
        this.redis = RedisCli.connect(port);
    }

    /** Who wrote last; null if a larger token was here. */
    String read(String resource, String lock, long token) {
        return (String) call(READ, resource, lock, token, "");
    }

    /** Writes that; returns the how manyth write it is, or 0 if a larger token was here. */
    long write(String resource, String lock, long token, String mine) {
        return Objects.requireNonNullElse((Long) call(WRITE, resource, lock, token, mine), 0L);
    }

    private Object call(String script, String resource, String lock, long token, String mine) {
        String shown = resource.equals(FENCED) ? Long.toString(token) : "0";
        return this.redis.command("EVAL", script, "1", resource + ':' + lock, shown, mine);
    }

    @Override
    public void close() {
        this.redis.close();
    }
}
