package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.lease.grant.LeaseValidity;
import io.github.lockstarter.lease.release.Succession;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A message has a claim sent at the very moment in which its place gets the lock from a release of this JVM. */
class TakeOverMomentTest extends PuppetRegistry {

    private final ShiftedClock clock = new ShiftedClock();

    @Test
    void shouldTakeBackAClaimThatIsExecutedAfterTheRelease() throws Exception {
        LeasingLockRegistry registry =
                registry(seldom(settings(LONG, Duration.ZERO)).withHandOff(NEVER), this.clock);
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> second = registry.acquireAsync(request());
        eventually().until(() -> registry.waiting() == 1);
        store().acquireAsynchronously();
        AtomicBoolean said = new AtomicBoolean();
        AtomicBoolean claimed = new AtomicBoolean();
        store().onAcquire(real -> {
            claimed.set(true);
            // Not executed yet, and never answered.
            throw Failures.unanswered();
        });
        this.clock.whenNanosAreRead(() -> {
            if (isTakenOverNow() && said.compareAndSet(false, true)) {
                store().sayHandedOver(NAME);
            }
        });

        assertThat(first.release()).isTrue();
        this.clock.whenNanosAreRead(null);
        assertThat(claimed).isTrue();
        Lease lease = second.get(20, TimeUnit.SECONDS);
        store().onAcquire(PuppetStore.Call::make);
        assertThat(lease.release()).isTrue();
        String id = store().acquisitionIds().get(1);
        store().acquire(NAME, id, LONG.toMillis(), true);

        eventually().until(() -> !store().isLocked(NAME));
    }

    /** When the grant has been created, and its ticket is not closed yet. */
    private static boolean isTakenOverNow() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().equals(LeaseValidity.class.getName())
                                || frame.getClassName().equals(Succession.class.getName()))
                        .map(StackWalker.StackFrame::getMethodName)
                        .limit(2)
                        .toList())
                .equals(List.of("hasEnded", "grantTo"));
    }
}
