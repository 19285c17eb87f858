package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/** An open connection, which the factory owns: commands in the form that both kinds of connections have. */
class OpenConnection {

    final RedisConnectionFactory factory;

    /** For blocking commands. */
    final StringRedisTemplate template;

    /** The errors of the commands that show the time of the server in scripts, by the names of the commands. */
    volatile Map<String, String> timeFailures = Map.of();

    /** Whether scripts ask for the time by {@code TIME}. */
    volatile boolean hasTime = true;

    OpenConnection(RedisConnectionFactory factory) {
        this(factory, new StringRedisTemplate(factory));
    }

    OpenConnection(RedisConnectionFactory factory, StringRedisTemplate template) {
        this.factory = factory;
        this.template = template;
        // Only the store sees the connection; without this each call would create a proxy that suppresses close().
        this.template.setExposeConnection(true);
    }

    void noteTime(Map<String, String> failures) {
        this.timeFailures = failures;
        this.hasTime = shows("TIME");
    }

    /** Calls a script, and returns its reply or its failure. Blocks until then, unless the connection is private. */
    CompletableFuture<Object> start(ScriptCommands.Call call) {
        RedisScript<Object> script = call.textFor(this.hasTime);
        byte[][] words = Stream.of(call.keys, List.of(call.arguments))
                .flatMap(List::stream)
                .map(OpenConnection::bytes)
                .toArray(byte[][]::new);
        return executed(connection -> connection
                .scriptingCommands()
                .eval(
                        bytes(script.getScriptAsString()),
                        ReturnType.fromJavaType(script.getResultType()),
                        call.keys.size(),
                        words));
    }

    /** Calls a script by its digest, as {@link #start} does. */
    CompletableFuture<Object> startByDigest(String digest, String key) {
        return executed(
                connection -> connection.scriptingCommands().evalSha(digest, ReturnType.INTEGER, 1, bytes(key)));
    }

    /** Returns the lines of {@code INFO}, as {@link #start} does. In a cluster, they may begin with the node. */
    CompletableFuture<String> info() {
        return executed(connection -> connection.serverCommands().info())
                .thenApply(info -> info.entrySet().stream()
                        .map(field -> field.getKey() + ":" + field.getValue())
                        .collect(Collectors.joining("\n")));
    }

    private <T> CompletableFuture<T> executed(RedisCallback<T> command) {
        try {
            return CompletableFuture.completedFuture(this.template.execute(command));
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /** Returns a text as servers store it. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether the command shows the time of the server, possibly after a permission was granted. */
    boolean shows(String command) {
        String error = this.timeFailures.get(command);
        return error == null || RedisErrors.isMissingPermission(error) || !RedisErrors.isUnsupported(error);
    }
}
