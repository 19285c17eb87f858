package io.github.lockstarter.contract;

import io.github.lockstarter.fixture.Waiting;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;
import org.awaitility.core.ConditionFactory;

/** Results of other threads, awaited with a limit. */
final class Outcomes {

    /** For what should happen soon, on a machine that is busy with other things. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    private Outcomes() {}

    /** The result, soon; throws what the stage failed with. */
    static <T> T get(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof Exception failure) {
                throw failure;
            }
            if (ex.getCause() instanceof Error failure) {
                throw failure;
            }
            throw ex;
        } catch (TimeoutException ex) {
            throw new AssertionError("Nothing came of " + stage + " within " + LIMIT, ex);
        }
    }

    /** What the stage failed with, soon. */
    static Throwable failureOf(CompletionStage<?> stage) {
        return Assertions.catchThrowable(() -> get(stage));
    }

    /** Lets time pass in which a condition must hold throughout. */
    static ConditionFactory throughout(Duration time) {
        return Waiting.within(LIMIT).during(time);
    }

    /** How long it takes. */
    static Duration time(Actor.Action action) throws Exception {
        long start = System.nanoTime();
        action.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
