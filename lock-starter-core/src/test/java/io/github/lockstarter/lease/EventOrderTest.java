package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.lease.grant.LeaseEvents;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener hears of one lease in order, however the threads that cause the events get in each other's way. */
class EventOrderTest extends PuppetRegistry {

    private final ShiftedClock clock = new ShiftedClock();

    private final Gate gate = new Gate();

    private final List<LockEvent> heard = new CopyOnWriteArrayList<>();

    private final LockListener listener = new LockListener() {
        @Override
        public void acquired(LockAcquiredEvent event) {
            EventOrderTest.this.heard.add(event);
        }

        @Override
        public void renewed(LockRenewedEvent event) {
            EventOrderTest.this.heard.add(event);
        }

        @Override
        public void lost(LockLostEvent event) {
            EventOrderTest.this.heard.add(event);
        }

        @Override
        public void released(LockReleasedEvent event) {
            EventOrderTest.this.heard.add(event);
        }
    };

    @AfterEach
    void open() {
        this.gate.open();
    }

    private LeasingLockRegistry listening(Duration timeout) {
        return registry(settings(timeout, Duration.ZERO), this.clock, this.listener);
    }

    /** The owner sees the loss, and releases, before it was told. */
    @Test
    void shouldTellALossBeforeTheReleaseThatFollowsIt() throws Exception {
        Lease lease = listening(TIMEOUT).acquire(request().withLease(Duration.ofMillis(300)));
        stopInTheTelling("lost");
        this.gate.awaitSomebody();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);

        releaseMeanwhile(lease);

        eventually().until(() -> this.heard.size() == 3);
        assertThat(this.heard)
                .hasExactlyElementsOfTypes(LockAcquiredEvent.class, LockLostEvent.class, LockReleasedEvent.class);
    }

    /** A renewal has succeeded, and the lease is released before anybody was told. */
    @Test
    void shouldTellNothingAfterTheRelease() throws Exception {
        Lease lease = listening(TIMEOUT).acquire(request());
        stopInTheTelling("renewed");
        this.gate.awaitSomebody();

        releaseMeanwhile(lease);

        eventually().until(() -> this.heard.stream().anyMatch(LockReleasedEvent.class::isInstance));
        throughout(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(this.heard).last().isInstanceOf(LockReleasedEvent.class));
    }

    /** Lets another thread release, which may have to wait for those who stand at the gate. */
    private void releaseMeanwhile(Lease lease) throws InterruptedException {
        Thread release = new Thread(lease::close);
        release.start();
        release.join(500);
        this.gate.open();
        release.join(20_000);
        assertThat(release.isAlive()).isFalse();
    }

    /** Stops a thread of the library on its way to tell something: there it looks at the clock. */
    private void stopInTheTelling(String event) {
        this.clock.whenNanosAreRead(() -> {
            boolean telling = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().equals(LeaseEvents.class.getName())
                                    && frame.getMethodName().equals(event)));
            if (telling && Thread.currentThread().getName().startsWith("lock-")) {
                this.gate.pass();
            }
        });
    }
}
