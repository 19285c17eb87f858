package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Why a Redis that is there executes nothing, or nothing that writes, for the time being. Named as its errors are. */
enum Refusal {
    READONLY {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            redis.command("REPLICAOF", "127.0.0.1", "1");
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            redis.command("REPLICAOF", "NO", "ONE");
        }
    },
    MASTERDOWN {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            redis.command("CONFIG", "SET", "replica-serve-stale-data", "no");
            READONLY.begin(redis, busy);
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            READONLY.end(redis, busy);
            redis.command("CONFIG", "SET", "replica-serve-stale-data", "yes");
        }
    },
    NOREPLICAS {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        }
    },
    MISCONF {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            redis.command("CONFIG", "SET", "save", "3600 1");
            try {
                // what is to be replaced by the snapshot is a directory
                Files.createDirectory(snapshot(redis));
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
            redis.command("BGSAVE");
            soon().until(() -> redis.info("persistence").contains("rdb_last_bgsave_status:err"));
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            try {
                Files.delete(snapshot(redis));
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
            redis.command("BGSAVE");
            soon().until(() -> redis.info("persistence").contains("rdb_last_bgsave_status:ok"));
            redis.command("CONFIG", "SET", "save", "");
        }

        private static Path snapshot(RedisCli redis) {
            List<?> directory = (List<?>) Objects.requireNonNull(redis.command("CONFIG", "GET", "dir"));
            return Path.of((String) directory.get(1), "dump.rdb");
        }
    },
    BUSY {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            redis.command("CONFIG", "SET", "lua-time-limit", "50");
            busy.send("EVAL", "while true do end", "0");
            awaitRefusal(redis);
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            redis.command("SCRIPT", "KILL");
        }
    },
    LOADING {
        @Override
        void begin(RedisCli redis, RedisCli busy) {
            // it answers once every two megabytes, and takes six seconds if nothing ends it earlier
            String large = "string.rep('x', 35000)";
            redis.command("CONFIG", "SET", "rdbcompression", "no");
            redis.command("EVAL", "for i = 1, 1200 do redis.call('SET', 'other:' .. i, " + large + ") end", "0");
            redis.command("CONFIG", "SET", "key-load-delay", "5000");
            busy.send("DEBUG", "RELOAD");
            awaitRefusal(redis);
        }

        @Override
        void end(RedisCli redis, RedisCli busy) {
            try {
                redis.command("CONFIG", "SET", "key-load-delay", "0");
            } catch (RedisErrorException ex) {
                // Redis 6.2 permits that only when it has its keys
            }
            busy.read();
            redis.command("CONFIG", "SET", "key-load-delay", "0");
            redis.command("EVAL", "for i = 1, 1200 do redis.call('DEL', 'other:' .. i) end", "0");
        }
    };

    /**
     * Begins.
     *
     * @param busy a connection that may be kept busy until the end
     */
    abstract void begin(RedisCli redis, RedisCli busy);

    abstract void end(RedisCli redis, RedisCli busy);

    void awaitRefusal(RedisCli redis) {
        soon().until(() -> {
            try {
                redis.command("GET", "any");
                return false;
            } catch (RedisErrorException ex) {
                return String.valueOf(ex.getMessage()).startsWith(name());
            }
        });
    }
}
