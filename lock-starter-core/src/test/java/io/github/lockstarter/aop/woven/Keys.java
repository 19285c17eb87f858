package io.github.lockstarter.aop.woven;

import io.github.lockstarter.testsupport.RedisCli;

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
        return this.redis.keys().stream().sorted().toList().toString();
    }
}
