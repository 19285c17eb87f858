package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** A call that acquires several locks loses the first of them while it waits for the second. */
class LostWhileWaitingTest {

    @AutoClose
    private final RealLocks app = RealLocks.with(Transfers.class);

    private final Transfers transfers = this.app.bean(Transfers.class);

    static Stream<Named<Consumer<Transfers>>> calls() {
        return Stream.of(
                Named.of("direct", transfers -> transfers.run("a", "b")),
                Named.of("future", transfers -> transfers.future("a", "b").join()),
                Named.of("reactive", transfers -> transfers.reactive("a", "b").block()));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldNotRunTheMethod(Consumer<Transfers> call) {
        Throwable thrown = whileTheFirstIsLost(call);

        Throwable loss = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        assertThat(loss)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lockName()).isEqualTo("transfer:a"));
        // On a busy machine, the other lease may expire as well before its release.
        assertThat(loss.getSuppressed())
                .filteredOn(LockLostException.class::isInstance)
                .as("reported once")
                .allSatisfy(other ->
                        assertThat(((LockLostException) other).lockName()).isEqualTo("transfer:b"));
        assertThat(this.transfers.runs()).isZero();
        await().until(() -> !this.app.isLocked("transfer:b"));
    }

    @Test
    void shouldRunTheMethodIfLossesAreIgnored() {
        assertThat(whileTheFirstIsLost(transfers -> transfers.ignoring("a", "b")))
                .isNull();

        assertThat(this.transfers.runs()).isOne();
    }

    private Throwable whileTheFirstIsLost(Consumer<Transfers> call) {
        LockRegistry registry = this.app.registry;
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        this.app.takenByAnother("transfer:b", () -> {
            new Thread(() -> thrown.complete(catchThrowable(() -> call.accept(this.transfers)))).start();
            await().until(() -> registry.getLock("transfer:a").isLocked());
            await().until(() -> !registry.getLock("transfer:a").isLocked());
        });
        return thrown.join();
    }

    static class Transfers {

        private final AtomicInteger runs = new AtomicInteger();

        int runs() {
            return this.runs.get();
        }

        @DistributedLock(name = "transfer", key = "{#from, #to}", lease = 300, waitTime = 10_000)
        public void run(String from, String to) {
            this.runs.incrementAndGet();
        }

        @DistributedLock(name = "transfer", key = "{#from, #to}", lease = 300, waitTime = 10_000)
        public CompletableFuture<String> future(String from, String to) {
            this.runs.incrementAndGet();
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "transfer", key = "{#from, #to}", lease = 300, waitTime = 10_000)
        public Mono<String> reactive(String from, String to) {
            this.runs.incrementAndGet();
            return Mono.just("done");
        }

        @DistributedLock(
                name = "transfer",
                key = "{#from, #to}",
                lease = 300,
                waitTime = 10_000,
                minHold = 10,
                onLost = OnLost.IGNORE)
        public void ignoring(String from, String to) {
            this.runs.incrementAndGet();
        }
    }
}
