package io.github.lockstarter.topology;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;

/** Waiting for what other threads and servers do, with bounds. */
final class Waiting {

    /** For what takes no time, or a failover, on an idle machine. */
    static final Duration LIMIT = Duration.ofSeconds(25);

    private Waiting() {}

    static ConditionFactory soon() {
        return await().pollInSameThread().atMost(LIMIT).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    /** The result, soon. */
    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
}
