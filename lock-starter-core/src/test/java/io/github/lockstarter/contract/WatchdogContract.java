package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock is renewed for as long as somebody needs it, and no longer. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class WatchdogContract extends RegistryFixture {

    private static final Duration CAP = Duration.ofMillis(700);

    private final EventLog heard = new EventLog();

    WatchdogContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldOutliveSeveralTimeoutsAtTheCostOfAFewRenewals() throws Exception {
        Duration timeout = TIMEOUT.multipliedBy(3);
        LeasingLockRegistry registry = registry(settings(timeout), this.heard);
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        lock.lock();
        long commands = backend().commands();

        throughout(timeout.multipliedBy(2)).until(lock::isHeldByCurrentThread);

        assertThat(there.tryLock()).isFalse();
        // four in each timeout, and some that were late
        assertThat(backend().commands() - commands).isBetween(5L, 30L);
        assertThat(this.heard.all(LockRenewedEvent.class)).hasSizeBetween(5, 30);
        assertThat(this.heard.all(LockLostEvent.class)).isEmpty();
        lock.unlock();
    }

    @Test
    void shouldNotRenewWhatIsUnlocked() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        lock.lock();
        soon().until(() -> !this.heard.all(LockRenewedEvent.class).isEmpty());
        lock.unlock();
        there.lock(LONG);
        // renewals are reported before it, in the order in which they were made
        soon().until(() -> !this.heard.all(LockReleasedEvent.class).isEmpty());
        long commands = backend().commands();
        int renewed = this.heard.all(LockRenewedEvent.class).size();

        throughout(TIMEOUT).until(there::isHeldByCurrentThread);

        assertThat(this.heard.all(LockRenewedEvent.class)).hasSize(renewed);
        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(backend().remaining(NAME))
                .isLessThanOrEqualTo(LONG.minus(TIMEOUT).plusMillis(10));
        there.unlock();
    }

    @Test
    void shouldStopAtTheCapOfTheRequest() throws Exception {
        LeasingLockRegistry registry = registry(settings(TIMEOUT), this.heard);
        long start = System.nanoTime();
        Lease lease = registry.acquire(request().withMaxHold(CAP));

        shouldEndAtTheCap(lease, start);
    }

    private void shouldEndAtTheCap(Lease lease, long start) throws Exception {
        assertThat(get(lease.lost())).isEqualTo(LossReason.MAX_HOLD);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(CAP, CAP.plusSeconds(6));
        assertThat(this.heard.all(LockRenewedEvent.class)).isNotEmpty();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::ensureHeld);
        assertThat(lease.release()).isFalse();
        soon().untilAsserted(() -> assertThat(this.heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.heldFor()).isGreaterThan(CAP.minusMillis(50))));
    }

    @Test
    void shouldLetOthersInWhenTheOwnersThreadHasEnded() throws Exception {
        LockSettings longLease = LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                LONG,
                Duration.ofMillis(300),
                null,
                Duration.ofSeconds(1),
                null,
                Duration.ofSeconds(10));
        LeasingLockRegistry registry = registry(longLease, this.heard);
        LeaseLock lock = registry.getLock(NAME);
        Actor owner = actor();
        owner.tell(lock::lock);
        LeaseLock there = registry(settings(LONG)).getLock(NAME);

        owner.die();

        assertThat(there.tryLock(Duration.ofSeconds(20))).isTrue();
        soon().untilAsserted(() -> assertThat(this.heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo(LossReason.OWNER_DIED)));
        there.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldNotTieALeaseOfNoThreadToTheThreadThatAcquiredIt() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        Actor first = actor();
        Lease lease = first.ask(() -> registry.acquire(request()));
        first.die();

        awaitRenewals(lease);

        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldSayThatItIsInTime() {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();

        soon().until(() -> registry.watchdogLag().isZero());
        assertThat(registry.active()).isEqualTo(1);

        lock.unlock();
        assertThat(registry.watchdogLag()).isZero();
    }
}
