package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.Printable;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.async.RedisSentinelAsyncCommands;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Asks the Sentinels for the master, and receives their messages about a new one. A Sentinel that is cut off from the
 * others names the old master for as long as that lasts; so all of them are asked, and the newest configuration counts.
 * Used by the connection thread only, for one run.
 */
final class Sentinels {

    private static final String SWITCHED = "+switch-master";

    private final DerivedFactory recipe;

    private final Duration timeout;

    private final Runnable onSwitch;

    private final RedisClient client;

    private final ReplyTimeouts timeouts;

    private final List<Link> links;

    /**
     * Creates the links, which are connected by the first question.
     *
     * @param timeout how long a question may take
     * @param onSwitch called on a thread of the client, which it must not block, when there may be another master
     */
    Sentinels(DerivedFactory recipe, Duration timeout, Runnable onSwitch) {
        this.recipe = recipe;
        this.timeout = timeout;
        this.onSwitch = onSwitch;
        this.client = recipe.clientWithoutReconnection();
        this.timeouts = new ReplyTimeouts(timeout, recipe.eventLoops::runLater);
        this.links = recipe.sentinels().stream().map(Link::new).toList();
    }

    /**
     * Asks for the master: completed when most Sentinels have answered, or all that do within the timeout;
     * exceptionally if none has.
     *
     * @param known the master so far, which is returned if a Sentinel with the newest configuration names it
     */
    CompletableFuture<RedisNode> find(@Nullable RedisNode known) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (Link link : this.links) {
            CompletableFuture<Answer> answer = link.ask().toCompletableFuture();
            this.timeouts.limit(answer);
            answers.add(answer);
        }
        CompletableFuture<RedisNode> result = new CompletableFuture<>();
        for (int i = 0; i < answers.size(); i++) {
            Link link = this.links.get(i);
            CompletableFuture<?> unused = answers.get(i).whenComplete((answer, failure) -> {
                link.answered = failure == null;
                answered(answers, known, result);
            });
        }
        return result;
    }

    /** Completes the result if most have answered, or all that do; the last one to complete finds all of them done. */
    private void answered(
            List<CompletableFuture<Answer>> answers, @Nullable RedisNode known, CompletableFuture<RedisNode> result) {
        boolean all = answers.stream().allMatch(CompletableFuture::isDone);
        List<Answer> given = answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .toList();
        if (given.size() > answers.size() / 2 || (all && !given.isEmpty())) {
            result.complete(newest(given, known));
        } else if (all) {
            String problems = IntStream.range(0, answers.size())
                    .mapToObj(i -> this.links.get(i) + ": " + problem(answers.get(i)))
                    .collect(Collectors.joining("; "));
            result.completeExceptionally(new RedisConnectionException(Printable.of(
                    "No Sentinel names the master '" + this.recipe.masterName() + "' (" + problems + ')')));
        }
    }

    private static String problem(CompletableFuture<Answer> failed) {
        Throwable failure = failed.handle((answer, thrown) -> thrown).join();
        return failure == null || failure instanceof TimeoutException
                ? "no answer in time"
                : RedisErrors.rootMessage(failure);
    }

    /** Finds the master as {@link #find} does, but waits for the answers. */
    RedisNode await() {
        try {
            return find(null).join();
        } catch (CompletionException ex) {
            throw ex.getCause() instanceof RuntimeException cause ? cause : ex;
        }
    }

    /** Asks for the master once, over connections that are closed afterwards. */
    static RedisNode ask(DerivedFactory recipe, Duration timeout) {
        Sentinels asked = new Sentinels(recipe, timeout, () -> {});
        try {
            return asked.await();
        } finally {
            asked.close();
        }
    }

    private static RedisNode newest(List<Answer> answers, @Nullable RedisNode known) {
        Answer newest =
                answers.stream().max(Comparator.comparingLong(Answer::epoch)).orElseThrow();
        boolean same = answers.stream()
                .anyMatch(answer ->
                        answer.epoch() == newest.epoch() && answer.master().equals(known));
        return same && known != null ? known : newest.master();
    }

    /** Closes all connections. */
    void close() {
        this.client.shutdown(0, this.timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * The answer of one Sentinel.
     *
     * @param epoch number of the configuration, which grows with each failover; 0 if the Sentinel does not name it
     */
    private record Answer(RedisNode master, long epoch) {}

    /** The connections to one Sentinel: one for questions, and one for messages, which takes no other commands. */
    private final class Link {

        private final RedisURI uri;

        private @Nullable CompletableFuture<StatefulRedisSentinelConnection<String, String>> questions;

        private @Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>> messages;

        /** Whether the last question was answered; if not, the other end may be gone without notice. */
        private volatile boolean answered = true;

        Link(RedisURI uri) {
            this.uri = uri;
        }

        CompletionStage<Answer> ask() {
            if (!this.answered) {
                close(this.questions);
                close(this.messages);
                this.questions = null;
                this.messages = null;
            }
            // Without the permission to subscribe, the questions have to do.
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> reachable =
                    connected(this.messages, this::subscribe);
            this.messages = reachable;
            // Lettuce logs a WARN for each failure to connect for questions, but not for messages.
            this.questions = connected(
                    this.questions,
                    () -> reachable.thenCompose(
                            unused -> Sentinels.this.client.connectSentinelAsync(StringCodec.UTF8, this.uri)));
            return this.questions.thenCompose(connection -> ask(connection.async()));
        }

        private CompletionStage<Answer> ask(RedisSentinelAsyncCommands<String, String> sentinel) {
            String name = Sentinels.this.recipe.masterName();
            CompletionStage<SocketAddress> address = sentinel.getMasterAddrByName(name);
            // Without the permission for it, all configurations count as equally old.
            CompletionStage<Long> epoch = sentinel.master(name)
                    .thenApply(fields -> Long.parseLong(fields.getOrDefault("config-epoch", "0")))
                    .exceptionally(failure -> 0L);
            return address.thenCombine(epoch, (named, number) -> {
                if (!(named instanceof InetSocketAddress master)) {
                    throw new RedisConnectionException("ERR No such master with that name");
                }
                return new Answer(new RedisNode(master.getHostString(), master.getPort()), number);
            });
        }

        private CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscribe() {
            String named = Sentinels.this.recipe.masterName() + ' ';
            return Sentinels.this
                    .client
                    .connectPubSubAsync(StringCodec.UTF8, this.uri)
                    .thenApply(connection -> {
                        connection.addListener(new RedisPubSubAdapter<>() {

                            @Override
                            public void message(String channel, String message) {
                                if (message.startsWith(named)) {
                                    Sentinels.this.onSwitch.run();
                                }
                            }
                        });
                        CompletionStage<?> unused = connection.async().subscribe(SWITCHED);
                        return connection;
                    })
                    .toCompletableFuture();
        }

        /** Returns the connection, or a new one if that has failed or has broken. */
        private static <C extends StatefulConnection<?, ?>> CompletableFuture<C> connected(
                @Nullable CompletableFuture<C> present, Supplier<CompletableFuture<C>> opener) {
            if (present == null || present.isCompletedExceptionally()) {
                return opener.get();
            }
            return present.isDone() && !present.join().isOpen() ? opener.get() : present;
        }

        private static void close(@Nullable CompletableFuture<? extends StatefulConnection<?, ?>> connection) {
            if (connection != null) {
                CompletionStage<?> unused = connection.thenCompose(StatefulConnection::closeAsync);
            }
        }

        @Override
        public String toString() {
            return this.uri.getHost() + ':' + this.uri.getPort();
        }
    }
}
