package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A registry before its start, and after a stop and another start. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class RestartContract extends RegistryFixture {

    private final EventLog heard = new EventLog();

    RestartContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldWorkBeforeItsStart() throws Exception {
        LeasingLockRegistry registry = unstarted(lasting());
        assertThat(registry.isRunning()).isFalse();
        assertThat(registry.active()).isZero();
        assertThat(registry.waiting()).isZero();
        assertThat(threads()).isEmpty();

        LeaseLock lock = registry.getLock(NAME);
        assertThat(lock.tryLock()).isTrue();
        registry.start();

        awaitRenewals(lock.currentLease());
        assertThat(registry.isRunning()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldBeAbleToStopWithoutAStart() {
        LeasingLockRegistry registry = unstarted(lasting());

        registry.stop();
        registry.destroy();

        assertThat(registry.isRunning()).isFalse();
    }

    @Test
    void shouldWorkFullyAfterARestart() throws Exception {
        LeasingLockRegistry registry = registry(withoutPolling(TIMEOUT.multipliedBy(2)), this.heard);
        for (int restart = 0; restart < 2; restart++) {
            registry.stop();
            assertThat(registry.isRunning()).isFalse();
            registry.start();
            registry.start();
            assertThat(registry.isRunning()).isTrue();

            shouldLockRenewAndTell(registry);
            shouldHearOfReleases(registry);
        }
        registry.stop();
        registry.stop();
    }

    private void shouldLockRenewAndTell(LeasingLockRegistry registry) {
        int renewed = this.heard.all(LockRenewedEvent.class).size();
        int released = this.heard.all(LockReleasedEvent.class).size();
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        soon().until(() -> this.heard.all(LockRenewedEvent.class).size() >= renewed + 3);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        soon().until(() -> this.heard.all(LockReleasedEvent.class).size() == released + 1);
    }

    private void shouldHearOfReleases(LeasingLockRegistry registry) throws Exception {
        Lease taken = registry(settings(LONG)).acquire(request());
        CompletableFuture<Lease> next = registry.acquireAsync(request().withWaitTime(LONG));
        throughout(Duration.ofMillis(100)).until(() -> !next.isDone());
        assertThat(taken.release()).isTrue();
        assertThat(get(next).release()).isTrue();
    }

    @Test
    void shouldLetAThreadUnlockWhatItHeldBeforeARestart() throws Exception {
        LeasingLockRegistry registry = registry(withShutdownTimeout(Duration.ZERO));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        lock.lock();
        Lease lease = lock.currentLease();
        Lease unowned = registry.acquire(LockRequest.of("unowned"));
        registry.stop();
        registry.start();

        assertThat(lock.getHoldCount()).isEqualTo(2);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(get(lease.lost())).isEqualTo(LossReason.SHUTDOWN);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
        lock.unlock();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lock::unlock)
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.SHUTDOWN));
        assertThat(unowned.release()).isFalse();

        assertThat(lock.getHoldCount()).isZero();
        lock.lock();
        assertThat(lock.currentLease().fencingToken()).isGreaterThan(lease.fencingToken());
        lock.unlock();
    }

    @Test
    void shouldCallBackWhenItHasStopped() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());
        CountDownLatch stopped = new CountDownLatch(1);

        registry.stop(stopped::countDown);

        assertThat(stopped.await(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lease.release()).isTrue();
        assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(registry.isRunning()).isFalse();
    }

    @Test
    void shouldStopAfterWebServersAndSchedulersAndBeforeConnections() {
        LeasingLockRegistry registry = unstarted(lasting());

        // web servers stop in phases from MAX_VALUE - 2048 on, schedulers in MAX_VALUE / 2, connections in 0
        assertThat(registry.getPhase()).isBetween(1, Integer.MAX_VALUE / 2 - 1);
        assertThat(registry.isAutoStartup()).isTrue();
    }
}
