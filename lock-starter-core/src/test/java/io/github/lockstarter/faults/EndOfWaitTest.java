package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.Waiting;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the caller learns when a wait is over, and what is left in the store by then. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
class EndOfWaitTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final Instance owner;

    private final Instance waiter;

    EndOfWaitTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
        this.owner = this.instances.at(server, EndOfWaitTest::patient);
        this.waiter = this.instances.at(server, EndOfWaitTest::patient);
    }

    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(20))
                .commandTimeout(COMMAND_TIMEOUT)
                .pollInterval(Duration.ofMillis(900));
    }

    @AfterEach
    void thaw() {
        this.server.resume();
    }

    /** The last question is sent at the deadline: that it has not been answered yet says nothing about the store. */
    @ParameterizedTest
    @ValueSource(longs = {30, 200})
    void asynchronousWaitsShouldEndWithARefusalOnAHealthyRedis(long waitMillis) throws Exception {
        List<CompletableFuture<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            this.owner.lock("order:" + i).lock();
        }
        for (int i = 0; i < 40; i++) {
            waits.add(this.waiter
                    .registry()
                    .acquireAsync(LockRequest.of("order:" + i).withWaitTime(Duration.ofMillis(waitMillis))));
        }

        assertThat(waits)
                .extracting(EndOfWaitTest::failureOf)
                .hasOnlyElementsOfType(LockNotGrantedException.class)
                .hasSize(40);
        for (int i = 0; i < 40; i++) {
            this.owner.lock("order:" + i).unlock();
        }
    }

    /** An entry that has left the line would be granted the lock, and every other try would be refused meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveTheLineBeforeTheRefusalIsReported(boolean asynchronous) throws Exception {
        Instance third = this.instances.at(this.server, EndOfWaitTest::patient);
        LeaseLock lock = this.owner.lock("line");
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            lock.lock();
            if (asynchronous) {
                CompletableFuture<Lease> wait = this.waiter
                        .registry()
                        .acquireAsync(LockRequest.of("line").withWaitTime(Duration.ofMillis(5)));
                assertThat(failureOf(wait)).isInstanceOf(LockNotGrantedException.class);
            } else {
                assertThat(this.waiter.lock("line").tryLock(Duration.ofMillis(5)))
                        .isFalse();
            }
            lock.unlock();
            if (third.lock("line").tryLock()) {
                third.lock("line").unlock();
            } else {
                refused++;
                Waiting.soon().until(() -> !lock.isLocked());
            }
        }
        assertThat(refused)
                .as("tries refused although nobody held the lock or waited for it")
                .isZero();
    }

    @Test
    void shouldLeaveTheLineBeforeAnInterruptIsReported() throws Exception {
        Instance third = this.instances.at(this.server, EndOfWaitTest::patient);
        LeaseLock lock = this.owner.lock("line");
        for (int i = 0; i < 30; i++) {
            lock.lock();
            Call<Boolean> wait = Call.start(() -> this.waiter.lock("line").tryLock(Duration.ofSeconds(10)));
            WaitingLine.awaitLength(this.redis, "lock:{line}", 1);
            wait.awaitWaiting();
            wait.interrupt();
            assertThat(wait.failure()).isInstanceOf(InterruptedException.class);
            lock.unlock();
            assertThat(third.lock("line").tryLock()).as("round " + i).isTrue();
            third.lock("line").unlock();
        }
    }

    /** A thread that waits in the same JVM has asked before Redis fell silent; its answer is no answer for others. */
    @ParameterizedTest
    @ValueSource(longs = {0, 500, 1500})
    void shouldNotRefuseWhileRedisIsSilent(long waitMillis) throws Exception {
        Lease taken = this.owner.acquire("silent");
        Call<Boolean> first = Call.start(() -> this.waiter.lock("silent").tryLock(Duration.ofSeconds(30)));
        Waiting.soon().until(() -> this.waiter.waiting() == 1);
        first.awaitParked();
        this.server.pause();

        long start = System.nanoTime();
        Throwable second = catchThrowable(() -> this.waiter.lock("silent").tryLock(Duration.ofMillis(waitMillis)));
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        this.server.resume();

        assertThat(second).isInstanceOf(LockStoreException.class);
        assertThat(waited)
                .isBetween(
                        Duration.ofMillis(waitMillis),
                        Duration.ofMillis(waitMillis).plus(COMMAND_TIMEOUT).plusSeconds(2));
        assertThat(taken.release()).isTrue();
        assertThat(first.result()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 500})
    void shouldNotRefuseAsynchronouslyWhileRedisIsSilent(long waitMillis) throws Exception {
        Lease taken = this.owner.acquire("silent");
        CompletableFuture<Lease> first = this.waiter.waitFor("silent");
        Waiting.soon().until(() -> this.waiter.waiting() == 1);
        LockRequest request = LockRequest.of("silent").withWaitTime(Duration.ofMillis(waitMillis));
        assertThat(failureOf(this.waiter.registry().acquireAsync(request)))
                .as("while Redis is healthy")
                .isInstanceOf(LockNotGrantedException.class);
        this.server.pause();

        long start = System.nanoTime();
        Throwable second = failureOf(this.waiter.registry().acquireAsync(request));
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        this.server.resume();

        assertThat(second).isInstanceOf(LockStoreException.class);
        assertThat(waited)
                .isBetween(
                        Duration.ofMillis(waitMillis),
                        Duration.ofMillis(waitMillis).plus(COMMAND_TIMEOUT).plusSeconds(2));
        assertThat(taken.release()).isTrue();
        assertThat(Waiting.get(first).release()).isTrue();
    }

    /** The release has put the next waiter into the line, and answered for it; that answer is none at the deadline. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAskAtTheEndAlthoughTheReleaseHasAnswered(boolean asynchronous) throws Exception {
        Instance local = this.instances.at(
                this.server, setup -> EndOfWaitTest.patient(setup).withoutHandOff());
        awaitSubscription(local);
        Lease taken = local.acquire("rest");
        CompletableFuture<Lease> first = this.owner.waitFor("rest");
        WaitingLine.awaitLength(this.redis, "lock:{rest}", 1);
        Duration wait = Duration.ofMillis(700);
        LockRequest request = LockRequest.of("rest").withWaitTime(wait);
        Call<Lease> second = Call.start(() -> asynchronous
                ? local.registry().acquireAsync(request).toCompletableFuture().get()
                : local.registry().acquire(request));
        Waiting.soon().until(() -> local.waiting() == 1);

        assertThat(taken.release()).isTrue();
        Lease next = Waiting.get(first);
        this.server.pause();
        Throwable failure = second.failure();
        this.server.resume();

        assertThat(asynchronous ? failure.getCause() : failure).isInstanceOf(LockStoreException.class);
        // Its lease may not have survived the pause.
        next.close();
    }

    /** With the first wait of an instance comes its subscription, after which its waiters ask once more. */
    private void awaitSubscription(Instance instance) throws Exception {
        Lease taken = this.owner.acquire("subscription");
        CompletableFuture<Lease> wait = instance.waitFor("subscription");
        WaitingLine.awaitLength(this.redis, "lock:{subscription}", 1);
        Waiting.soon()
                .until(() -> this.redis.command("PUBSUB", "CHANNELS", "lock:inbox:*") instanceof List<?> inboxes
                        && !inboxes.isEmpty());
        assertThat(taken.release()).isTrue();
        assertThat(Waiting.get(wait).release()).isTrue();
    }

    /** Who holds the lock is known here, whatever Redis does. */
    @Test
    void shouldRefuseForALockThatIsHeldInThisJvmAlthoughRedisIsSilent() throws Exception {
        Lease taken = this.waiter.acquire("held");
        this.server.pause();

        assertThat(this.waiter.lock("held").tryLock()).isFalse();
        assertThat(this.waiter.lock("held").tryLock(Duration.ofMillis(100))).isFalse();
        assertThatExceptionOfType(LockNotGrantedException.class)
                .isThrownBy(() ->
                        this.waiter.registry().acquire(LockRequest.of("held").withWaitTime(Duration.ofMillis(100))));
        this.server.resume();

        assertThat(taken.release()).isTrue();
    }

    private static Throwable failureOf(CompletionStage<Lease> wait) {
        Throwable failure = catchThrowable(
                () -> wait.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join());
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }
}
