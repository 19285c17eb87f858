package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** Readers and permits of annotated methods, in two applications on one store. */
@Timeout(120)
class SharedGrantsOfCallsTest {

    private final InMemoryLockStore store = new InMemoryLockStore();

    @AutoClose
    private final LockedContext one = application();

    @AutoClose
    private final LockedContext two = application();

    private final Exports exports = this.one.getBean(Exports.class);

    private final Exports others = this.two.getBean(Exports.class);

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO
    }

    private LockedContext application() {
        return LockedContext.on(this.store, LockSettings.of(Duration.ofSeconds(30)), Exports.class);
    }

    @Test
    void shouldRunReadersTogetherAndWritersAlone() {
        this.exports.read(() -> {
            assertThat(this.others.tryRead()).isEqualTo("read");
            assertThatThrownBy(this.others::tryWrite).isInstanceOf(LockNotGrantedException.class);
            return "";
        });

        assertThat(this.others.tryWrite()).isEqualTo("written");
        assertThat(this.one.isLocked("catalog")).isFalse();
    }

    /** All locks of a call are released together, and the reader's lease is that of the writer around the call. */
    @Test
    void shouldNotReleaseTheWriterAroundACallWithSeveralLocks() {
        this.exports.write(() -> {
            Lease writer = LeaseContext.required();

            assertThat(this.exports.readWithAnother()).isEqualTo("read");

            assertThat(writer.isHeld()).isTrue();
            assertThatThrownBy(this.others::tryRead).isInstanceOf(LockNotGrantedException.class);
            return "";
        });
        assertThat(this.one.isLocked("catalog")).isFalse();
        assertThat(this.one.isLocked("index")).isFalse();
    }

    @Test
    void shouldAcquireAWriterAndAReaderOfOneCall() {
        assertThat(this.exports.writeAndRead()).isEqualTo("both");
        assertThat(this.exports.writeAndReadLater())
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo("both");

        assertThat(this.others.tryWrite()).isEqualTo("written");
    }

    @ParameterizedTest
    @EnumSource
    void shouldRunAtMostAsManyCallsAsThereArePermits(Way way) {
        CompletableFuture<String> work = new CompletableFuture<>();
        List<CompletableFuture<String>> running =
                List.of(start(this.exports, way, work), start(this.others, way, work));
        await().until(() -> available("printers") == 0);

        assertThatThrownBy(this.others::tryPrint).isInstanceOf(LockNotGrantedException.class);
        assertThat(this.others.printOrSkip()).isNull();
        assertThat(this.others.printOrElse()).isEqualTo("later");
        assertThat(running).noneMatch(CompletableFuture::isDone);

        work.complete("printed");
        assertThat(running).allSatisfy(each -> assertThat(each).succeedsWithin(Duration.ofSeconds(10)));
        await().until(() -> available("printers") == 2);
        assertThat(this.others.tryPrint()).isEqualTo("printed");
    }

    private static CompletableFuture<String> start(Exports exports, Way way, CompletableFuture<String> work) {
        return switch (way) {
            case DIRECT -> CompletableFuture.supplyAsync(() -> exports.print(work::join));
            case FUTURE -> exports.printLater(work);
            case MONO -> exports.printMono(work).toFuture();
        };
    }

    /** While a call waits for permits, it does not hold its lock; after it, the lock is released first. */
    @Test
    void shouldWaitForPermitsWithoutTheLock() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> holder = CompletableFuture.supplyAsync(() -> this.others.bothAlone(() -> {
            started.countDown();
            return end.join();
        }));
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(
                () -> this.exports.bothOther(() -> LeaseContext.required().name()));
        await().until(() -> this.one.registry.waiting() == 1);

        assertThat(this.one.isLocked("other-book")).isFalse();

        end.complete("");
        assertThat(waiting).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("other-book");
        assertThat(holder).succeedsWithin(Duration.ofSeconds(10));
        assertThat(available("editors", 1)).isEqualTo(1);
    }

    private int available(String name) {
        return available(name, 2);
    }

    private int available(String name, int permits) {
        return this.one.registry.getSemaphore(name, permits).availablePermits();
    }

    static class Exports {

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public String read(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ, waitTime = 0)
        public String tryRead() {
            return "read";
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        @DistributedLock(name = "index")
        public String readWithAnother() {
            return "read";
        }

        @DistributedLock(name = "catalog")
        public String write(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "catalog", waitTime = 0)
        public String tryWrite() {
            return "written";
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ, condition = "true")
        @DistributedLock(name = "catalog")
        public String writeAndRead() {
            return "both";
        }

        @DistributedLock(name = "catalog", mode = LockMode.READ, condition = "true")
        @DistributedLock(name = "catalog")
        public CompletableFuture<String> writeAndReadLater() {
            return CompletableFuture.completedFuture("both");
        }

        @DistributedSemaphore(name = "printers", permits = 2)
        public String print(Supplier<String> body) {
            return body.get();
        }

        @DistributedSemaphore(name = "printers", permits = 2)
        public CompletableFuture<String> printLater(CompletableFuture<String> work) {
            return work;
        }

        @DistributedSemaphore(name = "printers", permits = 2)
        public Mono<String> printMono(CompletableFuture<String> work) {
            return Mono.fromFuture(work, true);
        }

        @DistributedSemaphore(name = "printers", permits = 2, waitTime = 0)
        public String tryPrint() {
            return "printed";
        }

        @DistributedSemaphore(name = "printers", permits = 2, waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public String printOrSkip() {
            return "printed";
        }

        @DistributedSemaphore(name = "printers", permits = 2, waitTime = 0, fallback = "later")
        public String printOrElse() {
            return "printed";
        }

        String later() {
            return "later";
        }

        @DistributedSemaphore(name = "editors", permits = 1)
        @DistributedLock(name = "book")
        public String bothAlone(Supplier<String> body) {
            return body.get();
        }

        @DistributedSemaphore(name = "editors", permits = 1)
        @DistributedLock(name = "other-book")
        public String bothOther(Supplier<String> body) {
            return body.get();
        }
    }
}
