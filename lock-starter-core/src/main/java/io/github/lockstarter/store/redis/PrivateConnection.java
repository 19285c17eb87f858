package io.github.lockstarter.store.redis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A connection of the store's own that has answered once, and the two ways to use it. */
record PrivateConnection(LettuceConnectionFactory factory, StringRedisTemplate template, ScriptCalls calls) {

    static PrivateConnection over(LettuceConnectionFactory factory, ScriptCalls calls) {
        StringRedisTemplate template = new StringRedisTemplate(factory);
        // The connection is not visible outside of the store: without this each call would make a proxy around it.
        template.setExposeConnection(true);
        return new PrivateConnection(factory, template, calls);
    }
}
