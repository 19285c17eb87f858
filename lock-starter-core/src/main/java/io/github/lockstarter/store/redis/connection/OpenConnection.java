package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A private connection that has answered a command.
 *
 * @param master the server if Sentinel has named it, null otherwise
 * @param factory the factory that owns the connection
 * @param template for blocking commands
 * @param scripts for script calls without the template
 */
record OpenConnection(
        @Nullable RedisNode master,
        LettuceConnectionFactory factory,
        StringRedisTemplate template,
        LettuceScriptExecutor scripts) {

    static OpenConnection over(
            @Nullable RedisNode master, LettuceConnectionFactory factory, LettuceScriptExecutor scripts) {
        StringRedisTemplate template = new StringRedisTemplate(factory);
        // Only the store sees the connection; without this each call would create a proxy that suppresses close().
        template.setExposeConnection(true);
        return new OpenConnection(master, factory, template, scripts);
    }
}
