package io.github.lockstarter.testsupport;

import io.github.lockstarter.backing.RedisBinary;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Chooses how Redis is run, by the system property {@code lock.test.redis}: {@code local} (the binary named by {@code
 * lock.test.redis.bin} or {@code REDIS_SERVER_BIN}, or the one on the PATH), {@code embedded} (from a dependency),
 * {@code docker} (Testcontainers), or {@code auto}, the first of these that is there. There is no way to go without.
 */
enum RedisBackends {
    AUTO {
        @Override
        RedisBackend create(List<String> options) {
            return RedisBinary.installed()
                    .or(RedisBinary::embedded)
                    .<RedisBackend>map(binary -> new LocalRedis(binary, options))
                    .orElseGet(() -> new DockerRedis(options));
        }
    },
    LOCAL {
        @Override
        RedisBackend create(List<String> options) {
            return local(RedisBinary.installed(), "no redis-server on the PATH, none named", options);
        }
    },
    EMBEDDED {
        @Override
        RedisBackend create(List<String> options) {
            return local(RedisBinary.embedded(), "no binary for this system in the dependency", options);
        }
    },
    DOCKER {
        @Override
        RedisBackend create(List<String> options) {
            return new DockerRedis(options);
        }
    };

    abstract RedisBackend create(List<String> options);

    static RedisBackends configured() {
        return valueOf(System.getProperty("lock.test.redis", "auto").toUpperCase(Locale.ROOT));
    }

    /** A program for servers of a topology, which must reach each other at the addresses that this JVM uses. */
    static RedisBinary forTopologies() {
        return RedisBinary.installed()
                .or(RedisBinary::embedded)
                .orElseThrow(
                        () -> new IllegalStateException("A topology needs a redis-server that runs on this machine"));
    }

    private static RedisBackend local(Optional<RedisBinary> binary, String otherwise, List<String> options) {
        return new LocalRedis(binary.orElseThrow(() -> new IllegalStateException(otherwise)), options);
    }
}
