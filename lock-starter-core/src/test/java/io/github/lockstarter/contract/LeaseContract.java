package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a lease says about itself, how long it lasts, and how it ends. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class LeaseContract extends RegistryFixture {

    private static final Duration MIN_HOLD = Duration.ofMillis(600);

    @Test
    void shouldBeUsableFromAnyThread() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = actor().ask(() -> registry.acquire(request()));

        assertThat(lease.name()).isEqualTo(NAME);
        assertThat(lease.fencingToken()).isPositive();
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.isHeld()).isTrue();
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
        assertThat(registry.getLock(NAME).tryLock()).isFalse();
        assertThat(actor().ask(lease::release)).isTrue();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(registry.getLock(NAME).tryLock()).isTrue();
        registry.getLock(NAME).unlock();
    }

    @Test
    void shouldBeReleasedWithoutWaiting() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());

        CompletableFuture<Thread> stage =
                lease.releaseAsync().thenApply(ours -> Thread.currentThread()).toCompletableFuture();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(get(stage).getName())
                .matches(name -> name.startsWith("lock-completion-")
                        || name.equals(Thread.currentThread().getName()));
        assertThat(registry().getLock(NAME).isLocked()).isFalse();
        assertThat(get(lease.releaseAsync().toCompletableFuture())).as("again").isTrue();
        assertThat(lease.release()).as("in the other way").isTrue();
    }

    @Test
    void shouldSayAtReleaseThatItWasLostBefore() throws Exception {
        Lease lease = registry().acquire(request().withLease(Duration.ofMillis(100)));

        assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);

        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lease::ensureHeld)
                .withMessageContainingAll(NAME, String.valueOf(lease.fencingToken()))
                .satisfies(ex -> {
                    assertThat(ex.lockName()).isEqualTo(NAME);
                    assertThat(ex.fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED);
                });
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.ensureHeld(Duration.ZERO));
        assertThat(lease.remaining()).isZero();
        assertThat(lease.release()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThatCode(lease::close).doesNotThrowAnyException();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
    }

    @Test
    void shouldBeReleasedOnce() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());
        assertThat(lease.release()).isTrue();
        Lease next = registry().acquire(request());

        assertThat(lease.release()).isTrue();
        lease.close();

        assertThat(next.isHeld()).isTrue();
        assertThat(registry.getLock(NAME).isLocked()).isTrue();
        assertThat(next.release()).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatIllegalStateException().isThrownBy(lease::ensureHeld).withMessageContaining(NAME);
        assertThatIllegalStateException().isThrownBy(() -> lease.ensureHeld(Duration.ZERO));
    }

    @Test
    void shouldAssureThatItIsHeldForLongEnough() throws Exception {
        Lease lease = registry().acquire(request().withLease(Duration.ofSeconds(10)));

        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
        assertThatCode(lease::ensureHeld).doesNotThrowAnyException();
        assertThatCode(() -> lease.ensureHeld(Duration.ofSeconds(5))).doesNotThrowAnyException();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(9)))
                .withMessageContainingAll(NAME, String.valueOf(lease.fencingToken()), "9000 ms");
        assertThat(lease.isHeld()).isTrue();

        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotReportALossThatIsNone() throws Exception {
        Lease lease = registry(settings(TIMEOUT.multipliedBy(2))).acquire(request());
        lease.lost().toCompletableFuture().complete(LossReason.DELETED);
        CompletableFuture<LossReason> before = lease.lost().toCompletableFuture();
        assertThat(before).isNotDone();

        assertThat(lease.release()).isTrue();

        CompletableFuture<LossReason> after = lease.lost().toCompletableFuture();
        throughout(TIMEOUT.multipliedBy(2).plusMillis(100)).until(() -> !before.isDone() && !after.isDone());
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
    }

    @Test
    void shouldRunOutWhenItIsDropped() throws Exception {
        EventLog heard = new EventLog();
        // Collections of a large heap take long on a busy machine, and a short lease would expire in one.
        LeasingLockRegistry registry = registry(settings(TIMEOUT.multipliedBy(4)), heard);
        LogCapture log = new LogCapture();
        assertThat(registry.acquire(LockRequest.of("released")).release()).isTrue();
        long token = acquireAndDrop(registry);

        // Collections without a pause would keep the watchdog from renewing.
        soon().pollInterval(Duration.ofMillis(250)).until(() -> {
            System.gc();
            return registry.active() == 0;
        });

        soon().untilAsserted(() -> assertThat(heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.reason()).isEqualTo(LossReason.OWNER_DIED);
                    assertThat(event.fencingToken()).isEqualTo(token);
                }));
        soon().until(() -> backend().locked().isEmpty());
        soon().until(() -> !log.with("dropped without a release").isEmpty());
        assertThat(log.with("dropped without a release"))
                .as("leases that were dropped, without the one that was released before")
                .singleElement()
                .asString()
                .contains(NAME);
        log.close();
        assertThat(registry.getLock(NAME).tryLock()).isTrue();
        registry.getLock(NAME).unlock();
    }

    private static long acquireAndDrop(LeasingLockRegistry registry) throws InterruptedException {
        return registry.acquire(request()).fencingToken();
    }

    @Test
    void shouldBeExtendedAndNotShortened() throws Exception {
        Lease lease = registry().acquire(request().withLease(Duration.ofSeconds(20)));
        long token = lease.fencingToken();

        lease.extend(LONG);
        lease.extend(Duration.ofSeconds(1));

        assertThat(backend().remaining(NAME)).isBetween(Duration.ofSeconds(30), LONG);
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(54));
        assertThat(lease.fencingToken()).isEqualTo(token);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lease.extend(LockRequest.FOREVER))
                .withMessageContaining(NAME);
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ZERO));
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldStayTakenAfterItsRelease() throws Exception {
        Lease lease = registry().acquire(request().withMinHold(LONG).withWaitTime(Duration.ZERO));
        LeasingLockRegistry there = registry();
        assertThat(lease.release()).isTrue();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThat(there.tryAcquire(request().withMinHold(LONG).withWaitTime(Duration.ZERO)))
                .as("another instance")
                .isEmpty();
        assertThat(backend().remaining(NAME)).isBetween(Duration.ofSeconds(1), LONG);
        assertThat(there.getLock(NAME).forceUnlock()).as("the lock was kept").isTrue();
    }

    /** An instance receives messages, unless there are none, after it has held a lock for a while. */
    @Test
    void shouldBeLostAtAForcedReleaseAlthoughItIsNeverRenewed() throws Exception {
        LeasingLockRegistry here = registry(settings(LONG));
        LeasingLockRegistry there = registry(settings(LONG));
        Lease beside = here.acquire(LockRequest.of("beside"));

        soon().until(() -> {
            Lease lease = here.acquire(request().withLease(LONG));
            assertThat(there.getLock(NAME).forceUnlock()).isTrue();
            LossReason reason = lease.lost()
                    .toCompletableFuture()
                    .completeOnTimeout(LossReason.EXPIRED, 1, TimeUnit.SECONDS)
                    .join();
            assertThat(lease.release()).isFalse();
            MessageStatus messages = there.messages();
            return reason == LossReason.REVOKED
                    || (messages != null && messages.mode().equals("polling"));
        });

        assertThat(beside.release()).isTrue();
    }

    @Test
    void shouldTellItsOwnerOfARequestAndStayHeld() throws Exception {
        EventLog heard = new EventLog();
        LeasingLockRegistry registry = registry(heard);
        Lease lease = registry.acquire(request());
        CompletableFuture<?> asked = lease.releaseRequested().toCompletableFuture();
        assertThat(lease.isReleaseRequested()).isFalse();

        assertThat(registry.requestRelease(NAME)).isTrue();
        assertThat(get(asked)).isNull();
        assertThat(get(lease.releaseRequested().toCompletableFuture()))
                .as("again")
                .isNull();
        assertThat(lease.isReleaseRequested()).isTrue();
        assertThat(lease.isHeld()).isTrue();
        assertThat(registry.requestRelease(NAME))
                .as("the owner was asked before")
                .isTrue();
        assertThat(lease.release()).isTrue();

        assertThat(registry.requestRelease(NAME)).as("a free lock").isFalse();
        assertThat(lease.isReleaseRequested()).isFalse();
        soon().untilAsserted(() ->
                assertThat(heard.all(LockReleaseRequestedEvent.class)).hasSize(1));
    }

    @Test
    void shouldBeFreeAfterItsMinimumHold() throws Exception {
        long began = System.nanoTime();
        Lease lease = registry().acquire(request().withMinHold(MIN_HOLD));
        assertThat(lease.release()).isTrue();

        Lease next = registry().acquire(LockRequest.of(NAME).withWaitTime(LONG));

        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(MIN_HOLD.toNanos());
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(next.release()).isTrue();
    }

    @Test
    void shouldBeRenewedForALeaseOfMinusOne() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock first = registry.getLock("orders:1");
        LeaseLock second = registry.getLock("orders:2");
        first.lock(Duration.ofMillis(-1));
        assertThat(second.tryLock(Duration.ZERO, Duration.ofMillis(-1))).isTrue();

        awaitRenewals(first.currentLease());
        awaitRenewals(second.currentLease());

        first.unlock();
        second.unlock();
    }

    /** But lengthened. */
    @Test
    void shouldNotBeShortenedByANestedHold() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        long token = lock.currentLease().fencingToken();

        lock.lock(LONG);
        lock.lock(Duration.ofMillis(100));

        for (int holds = 3; holds > 0; holds--) {
            assertThat(lock.currentLease().remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(54));
            assertThat(backend().remaining(NAME)).isBetween(Duration.ofSeconds(30), LONG);
            assertThat(lock.currentLease().fencingToken()).isEqualTo(token);
            lock.unlock();
        }
    }

    @Test
    void shouldNotBeEnteredAgainWhenItIsLost() {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        lock.lock(Duration.ofMillis(100));
        soon().until(() -> !lock.isHeldByCurrentThread());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lockInterruptibly);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(LONG, LONG));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> {
                    throw new AssertionError("ran");
                }))
                .withMessageContaining(NAME);

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.getHoldCount()).isZero();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }
}
