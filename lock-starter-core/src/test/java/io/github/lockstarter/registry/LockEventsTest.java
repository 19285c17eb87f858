package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.engine.ThreadWait;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.test.util.ReflectionTestUtils;

/** What observers are told of grants that are lost or released. */
@Timeout(30)
class LockEventsTest {

    private volatile Duration passed = Duration.ZERO;

    private final LeaseClock clock = new LeaseClock() {

        @Override
        public long nanoTime() {
            return System.nanoTime() + LockEventsTest.this.passed.toNanos();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis() + LockEventsTest.this.passed.toMillis();
        }
    };

    private volatile boolean isSlow;

    private final CountDownLatch listenerMayEnd = new CountDownLatch(1);

    private final BlockingQueue<LockAcquiredEvent> acquired = new LinkedBlockingQueue<>();

    private final LockListener listener = new LockListener() {

        @Override
        public void acquired(LockAcquiredEvent event) {
            LockEventsTest.this.acquired.add(event);
        }

        @Override
        public void renewed(LockRenewedEvent event) {
            try {
                if (LockEventsTest.this.isSlow) {
                    LockEventsTest.this.listenerMayEnd.await();
                }
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
    };

    @AutoClose("stop")
    private final Run run = started();

    @AfterEach
    void endListener() {
        this.listenerMayEnd.countDown();
    }

    private Run started() {
        Run created = new Run(
                new InMemoryLockStore(),
                LockSettings.of(Duration.ofSeconds(30)),
                new LockEvents.Observers(null, List.of(this.listener), AcquireObserver.NONE),
                this.clock);
        created.start();
        return created;
    }

    private LockEvents events() {
        return this.run.leases.events();
    }

    private LeaseHandle lease(String name) throws Exception {
        return (LeaseHandle) get(this.run.acquisitions.acquireLater(LockRequest.of(name), null));
    }

    private void lose(LeaseHandle lease) {
        this.run.engine.change(lease.grant, (lock, now) -> lock.takenOver(lease.grant, now));
    }

    private Map<?, ?> hooks() {
        return (Map<?, ?>) ReflectionTestUtils.getField(events(), "hooks");
    }

    @Test
    void shouldKeepNoHookOfAGrantThatHasEnded() throws Exception {
        LeaseHandle released = lease("released");
        LeaseHandle lost = lease("lost");
        List<LossReason> reasons = new ArrayList<>();
        events().add(released.grant, reasons::add);
        events().add(lost.grant, reasons::add);

        assertThat(released.release()).as("the lease was held").isTrue();
        lose(lost);

        assertThat(reasons).as("losses that hooks are told of").containsExactly(LossReason.TAKEN_OVER);
        assertThat(hooks()).as("hooks of grants that have ended").isEmpty();
        events().add(released.grant, reasons::add);
        events().add(lost.grant, reasons::add);
        assertThat(hooks()).as("hooks that were added after the end").isEmpty();
        assertThat(reasons)
                .as("losses, with that of which a later hook is told at once")
                .containsExactly(LossReason.TAKEN_OVER, LossReason.TAKEN_OVER);
    }

    @Test
    void shouldShowTheLatestLoss() throws Exception {
        lose(lease("first"));
        lose(lease("second"));

        LockHealth.Loss loss = events().lastLoss();
        assertThat(loss).as("the latest loss").isNotNull();
        assertThat(loss.lock()).as("name of the latest loss").isEqualTo("second");
        assertThat(events().losses()).as("number of losses").isEqualTo(2);
    }

    /** The store may have executed that command. The caller decides by this whether the lock can be free. */
    @Test
    void shouldReportAnUnknownOutcomeIfAnEarlierCommandHadNoReply() {
        LockStoreException failure = new LockStoreException("not connected", null, false, true);
        Wait wait = new ThreadWait(LockRequest.of("orders"), 0, new Terms(1, 1, 1, 0), Owner.NONE, true);
        for (boolean mayBeGranted : List.of(true, false)) {
            Refusal refusal = new Refusal(Refusal.Cause.STORE_FAILED, failure, null, 0, mayBeGranted);

            assertThat(events().failure(wait, refusal))
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            reported -> assertThat(reported.isOutcomeUnknown())
                                    .as("unknown outcome, if it is %s that the lock may be granted", mayBeGranted)
                                    .isEqualTo(mayBeGranted));
        }
    }

    @Test
    void shouldReportHowLongAnAcquisitionHasWaited() throws Exception {
        LeaseHandle first = lease("awaited");
        assertThat(this.acquired.poll(20, TimeUnit.SECONDS).waited())
                .as("wait for a lock that was free")
                .isLessThan(Duration.ofSeconds(4));
        CompletableFuture<Lease> second = this.run.acquisitions.acquireLater(LockRequest.of("awaited"), null);

        this.passed = Duration.ofSeconds(4);
        assertThat(first.release()).as("the first lease was held").isTrue();
        Lease next = get(second);

        assertThat(this.acquired.poll(20, TimeUnit.SECONDS).waited())
                .as("wait for a lock that was taken for four seconds")
                .isGreaterThanOrEqualTo(Duration.ofSeconds(4));
        assertThat(next.release()).as("the second lease was held").isTrue();
    }

    @Test
    void shouldWarnOnceInTenMinutesOfEventsThatAreDropped() throws Exception {
        LeaseHandle lease = lease("orders");
        this.isSlow = true;
        try (LogCapture log = new LogCapture(LockEvents.class, Level.WARN)) {
            for (int i = 0; i < RunThreads.LISTENER_CALLS + 50; i++) {
                events().renewed(lease.grant, this.run.engine.now());
            }
            assertThat(events().dropped()).as("events that were dropped").isGreaterThan(40);
            CountDownLatch logged = new CountDownLatch(1);
            this.run.leases.threads().log(logged::countDown);
            assertThat(logged.await(20, TimeUnit.SECONDS))
                    .as("all lines are written")
                    .isTrue();
            assertThat(log.with("events are dropped"))
                    .as("warnings about many dropped events")
                    .hasSize(1);
            this.passed = Duration.ofMinutes(10);
            events().renewed(lease.grant, this.run.engine.now());
            soon().untilAsserted(() -> assertThat(log.with("events are dropped"))
                    .as("warnings about many dropped events, and about one ten minutes later")
                    .hasSize(2));
        }
        boolean unused = lease.release();
    }
}
