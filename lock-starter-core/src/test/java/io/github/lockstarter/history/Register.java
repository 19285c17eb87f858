package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.Objects;

/**
 * What the locks guard, on a server of its own on which nothing ever fails: per lock, who wrote last, and the largest fencing token
 * of all who have read or written. Used by one thread.
 */
final class Register implements AutoCloseable {

    private static final String REFUSE_SMALLER = """
            local token = redis.call('HGET', KEYS[1], 'token')
            if token and tonumber(token) > tonumber(ARGV[1]) then
              return false
            end
            redis.call('HSET', KEYS[1], 'token', ARGV[1])
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
    String read(String lock, long token) {
        return (String) this.redis.command("EVAL", READ, "1", lock, Long.toString(token));
    }

    /** Writes that; returns the how manyth write it is, or 0 if a larger token was here. */
    long write(String lock, long token, String mine) {
        Long number = (Long) this.redis.command("EVAL", WRITE, "1", lock, Long.toString(token), mine);
        return Objects.requireNonNullElse(number, 0L);
    }

    @Override
    public void close() {
        this.redis.close();
    }
}
