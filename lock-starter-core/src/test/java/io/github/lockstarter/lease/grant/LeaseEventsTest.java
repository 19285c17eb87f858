package io.github.lockstarter.lease.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.event.EventObservers;
import io.github.lockstarter.lease.event.ListenerQueue;
import io.github.lockstarter.lease.support.LogQueue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is the same in all events of a lease. */
class LeaseEventsTest {

    private final HandClock clock = new HandClock();

    private final LogQueue log = new LogQueue();

    private final ListenerQueue listeners = new ListenerQueue(this.log, this.clock::nanoTime);

    private final EventLog published = new EventLog();

    private final LeaseEvents events = new LeaseEvents(
            this.clock, new EventObservers(this.published, new LockListener() {}, this.log, List.of(), this.listeners));

    @AfterEach
    void stop() {
        this.listeners.shutdown();
        this.log.shutdown();
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveTheModeOfTheRequest(LockMode mode) {
        LockRequest lock = LockRequest.of("orders:42");
        LockRequest request = mode == LockMode.PERMIT ? lock.withPermits(2, 5) : lock.withMode(mode);
        Grant grant = new Grant(request, "id", 7, this.clock.nanoTime(), null);

        this.events.acquired(grant, 0);
        this.events.handedOver(grant, LockHandedOverEvent.Kind.REMOTE);
        this.events.notAcquired(request, LockNotAcquiredEvent.Outcome.TIMEOUT, 0, null);
        this.events.renewed(grant, 0);
        this.events.renewalFailed(grant, 0, null, null);
        this.events.atRisk(grant, null, () -> true);
        this.events.recovered(grant, () -> true);
        this.events.lost(grant, LossReason.EXPIRED, () -> true);
        this.events.released(grant, LockReleasedEvent.Outcome.LOST, null);

        assertThat(this.published.all())
                .extracting(Object::getClass)
                .doesNotHaveDuplicates()
                .hasSize(9);
        assertThat(this.published.all()).extracting(LockEvent::mode).containsOnly(mode);
        assertThat(this.published.all()).extracting(LockEvent::lockName).containsOnly("orders:42");
    }
}
