package io.github.lockstarter.aop.weave.woven;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.Objects;

/** The keys that currently exist in Redis, as text. */
class Keys {

    private final RedisCli redis;

    Keys(RedisCli redis) {
        this.redis = redis;
    }

    void say(String line) {
        System.out.println(line);
    }

    @Override
    public String toString() {
        List<?> keys = (List<?>) Objects.requireNonNull(this.redis.command("KEYS", "*"));
        return keys.stream().map(String::valueOf).sorted().toList().toString();
    }
}
