package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.OnLost;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

class DeferredResultsTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReturnsFuture.class,
                ReturnsCallable.class,
                ReturnsPublisher.class,
                ReturnsFlowPublisher.class,
                ReturnsGenericFuture.class
            })
    void shouldRejectMethodsWhoseCompletionCannotBeObserved(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining(bean.getName())
                .hasMessageContaining("returns a ")
                .hasMessageContaining("would end before the work does")
                .hasMessageContaining("acquireAsync");
    }

    @Test
    void shouldRejectSuchMethodsOfAnnotatedClasses() {
        assertThat(rejectionOf(ClassLevelFuture.class))
                .hasMessageContaining("ClassLevelFuture.call()")
                .hasMessageContaining("returns a Future")
                .hasMessageContaining("annotate the other methods instead of the class");
    }

    @Test
    void shouldRejectInterruptionOfWorkWithoutAThread() {
        assertThat(rejectionOf(InterruptedFuture.class))
                .hasMessageContaining("onLost = INTERRUPT, but the work of the method has no thread of its own");
    }

    /** As here, where the class path has no kotlinx-coroutines-reactor. */
    @Test
    void shouldNameWhatSuspendFunctionsRequire(@TempDir Path directory) throws Exception {
        Class<?> bean = Sources.in(directory)
                .add("kotlin.coroutines.Continuation", "public interface Continuation<T> {}")
                .add(
                        "shop.Suspending",
                        "public class Suspending { @io.github.lockstarter.DistributedLock"
                                + " public Object run(kotlin.coroutines.Continuation<Object> next) { return null; } }")
                .load("shop.Suspending");

        assertThat(rejectionOf(bean))
                .hasMessageContaining("shop.Suspending.run()")
                .hasMessageContaining("is a suspend function")
                .hasMessageContaining("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
    }

    static class ReturnsFuture {

        @DistributedLock
        public Future<String> call() {
            return new CompletableFuture<>();
        }
    }

    /** Spring MVC calls it later, on another thread. */
    static class ReturnsCallable {

        @DistributedLock
        public Callable<String> call() {
            return () -> "done";
        }
    }

    static class ReturnsPublisher {

        @DistributedLock
        public Publisher<String> call() {
            return Mono.empty();
        }
    }

    static class ReturnsFlowPublisher {

        @DistributedLock
        public Flow.Publisher<String> call() {
            return subscriber -> {};
        }
    }

    static class GenericCall<T> {

        @DistributedLock
        public T call() {
            throw new UnsupportedOperationException();
        }
    }

    static class ReturnsGenericFuture extends GenericCall<Future<String>> {}

    @DistributedLock
    static class ClassLevelFuture {

        public Future<String> call() {
            return new CompletableFuture<>();
        }
    }

    static class InterruptedFuture {

        @DistributedLock(onLost = OnLost.INTERRUPT)
        public CompletableFuture<String> call() {
            return new CompletableFuture<>();
        }
    }
}
