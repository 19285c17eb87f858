package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.store.redis.script.RenewalBatch;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Script calls that write locks, and the {@code WAIT} that follows them. All are written to one connection in one step;
 * the connection never reconnects and follows no redirection, so that all replies come from one physical connection.
 */
final class Pair {

    private final List<PendingConfirmation> confirmations;

    private final List<Call> calls = new ArrayList<>();

    private final AsyncCommand<byte[], byte[], Long> wait;

    /**
     * Creates a pair that has not been sent.
     *
     * @param confirmations at least one
     * @param largestBatch the largest number of locks in one script call
     * @param withText whether to send the text of the script, because the server may not have it
     */
    Pair(
            List<PendingConfirmation> confirmations,
            int largestBatch,
            boolean withText,
            LockKeys keys,
            Acknowledgements acknowledgements) {
        this.confirmations = confirmations;
        for (int from = 0; from < confirmations.size(); ) {
            RenewalBatch batch =
                    RenewalBatch.firstOf(confirmations.subList(from, endOfCall(confirmations, from)), largestBatch);
            List<PendingConfirmation> members = confirmations.subList(from, from + batch.size());
            this.calls.add(new Call(members, batch, scriptCall(batch, withText, keys)));
            from += batch.size();
        }
        this.wait = command(
                CommandType.WAIT,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                new CommandArgs<>(ByteArrayCodec.INSTANCE)
                        .add(acknowledgements.required())
                        .add(acknowledgements.waitMillis()));
    }

    private static int endOfCall(List<PendingConfirmation> confirmations, int from) {
        int end = from + 1;
        while (!confirmations.get(from).isAlone()
                && end < confirmations.size()
                && !confirmations.get(end).isAlone()) {
            end++;
        }
        return end;
    }

    private static AsyncCommand<byte[], byte[], List<Object>> scriptCall(
            RenewalBatch batch, boolean withText, LockKeys keys) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(withText ? LuaScript.CONFIRM.getScriptAsString() : LuaScript.CONFIRM.getSha1())
                .add(batch.size());
        batch.keys(keys).forEach(key -> arguments.addKey(key.getBytes(StandardCharsets.UTF_8)));
        arguments.add(batch.leaseMillis()).add(batch.acquisitionIds());
        return command(
                withText ? CommandType.EVAL : CommandType.EVALSHA,
                new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
                arguments);
    }

    private static <T> AsyncCommand<byte[], byte[], T> command(
            CommandType type, CommandOutput<byte[], byte[], T> output, CommandArgs<byte[], byte[]> arguments) {
        return new AsyncCommand<>(new Command<>(type, output, arguments));
    }

    /** Sends the pair; the result is completed when there are all replies, possibly exceptionally. */
    CompletableFuture<?> send(StatefulRedisConnection<byte[], byte[]> connection) {
        List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>(this.calls.size() + 1);
        this.calls.forEach(call -> commands.add(call.command));
        commands.add(this.wait);
        CompletableFuture<?> replied = CompletableFuture.allOf(commands.stream()
                .map(command -> ((AsyncCommand<?, ?, ?>) command).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
        try {
            connection.dispatch(commands);
        } catch (RuntimeException ex) {
            commands.forEach(command -> command.completeExceptionally(ex));
        }
        return replied;
    }

    List<PendingConfirmation> confirmations() {
        return this.confirmations;
    }

    List<Call> calls() {
        return this.calls;
    }

    /** Returns why the reply to {@code WAIT} is no number; null if it is one. Called when there is a reply. */
    @Nullable
    Throwable waitFailure() {
        return failureOf(this.wait);
    }

    /** Returns how many replicas have acknowledged the writes. */
    long acknowledged() {
        return this.wait.toCompletableFuture().join();
    }

    private static @Nullable Throwable failureOf(AsyncCommand<?, ?, ?> command) {
        return command.toCompletableFuture()
                .handle((reply, failure) -> failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure)
                .join();
    }

    /** One script call of a pair. */
    record Call(
            List<PendingConfirmation> confirmations,
            RenewalBatch batch,
            AsyncCommand<byte[], byte[], List<Object>> command) {

        /** Returns why there is no result; null if there is one. Called when there is a reply. */
        @Nullable
        Throwable failure() {
            return failureOf(this.command);
        }

        /** Returns the failures, as the script does. */
        List<Object> result() {
            return this.command.toCompletableFuture().join();
        }
    }
}
