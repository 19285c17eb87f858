package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A lease that belongs to no thread: what it says about itself, and its end. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class LeaseContract extends RegistryFixture {

    LeaseContract(LockBackend backend) {
        super(backend);
    }

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

        CompletableFuture<Boolean> released = lease.releaseAsync().toCompletableFuture();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(get(released)).isTrue();
        assertThat(registry().getLock(NAME).isLocked()).isFalse();
        assertThat(get(lease.releaseAsync().toCompletableFuture())).as("again").isTrue();
        assertThat(lease.release()).as("in the other way").isTrue();
    }

    @Test
    void shouldBeReleasedOnAThreadOfTheLibrary() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());

        CompletableFuture<Thread> stage =
                lease.releaseAsync().thenApply(ours -> Thread.currentThread()).toCompletableFuture();

        assertThat(get(stage).getName())
                .isIn("lock-completion-1", Thread.currentThread().getName());
        Lease next = registry.acquire(request());
        assertThat(get(next.releaseAsync().toCompletableFuture())).isTrue();
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
    void shouldSayAtReleaseThatItWasLostBefore() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request().withLease(Duration.ofMillis(100)));
        soon().until(() -> !lease.isHeld());

        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.release()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThatCode(lease::close).doesNotThrowAnyException();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
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
    void shouldRefuseToAssureWhatIsLost() throws Exception {
        Lease lease = registry().acquire(request().withLease(Duration.ofMillis(100)));
        soon().until(() -> !lease.isHeld());

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
    }

    @Test
    void shouldTellEachListenerOnceThatItIsLost() throws Exception {
        Lease lease = registry().acquire(request().withLease(Duration.ofMillis(200)));
        AtomicInteger told = new AtomicInteger();
        CompletableFuture<Void> first =
                lease.lost().thenAccept(reason -> told.incrementAndGet()).toCompletableFuture();
        CompletableFuture<Void> second =
                lease.lost().thenAccept(reason -> told.incrementAndGet()).toCompletableFuture();

        get(first);
        get(second);
        assertThat(lease.release()).isFalse();
        CompletableFuture<LossReason> late = lease.lost().toCompletableFuture();

        assertThat(get(late)).isEqualTo(LossReason.EXPIRED);
        assertThat(told).hasValue(2);
    }

    @Test
    void shouldNotLetAnyoneElseReportALoss() throws Exception {
        Lease lease = registry().acquire(request());

        lease.lost().toCompletableFuture().complete(LossReason.DELETED);

        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotReportALossOnRelease() throws Exception {
        Lease lease = registry(settings(Duration.ofMillis(500))).acquire(request());
        CompletableFuture<LossReason> before = lease.lost().toCompletableFuture();

        assertThat(lease.release()).isTrue();
        CompletableFuture<LossReason> after = lease.lost().toCompletableFuture();

        throughout(Duration.ofMillis(800)).until(() -> !before.isDone() && !after.isDone());
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
    }
}
