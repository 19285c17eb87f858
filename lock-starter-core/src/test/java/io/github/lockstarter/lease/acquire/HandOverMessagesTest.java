package io.github.lockstarter.lease.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.release.OrphanCleanup;
import io.github.lockstarter.lease.release.Succession;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.StopSignal;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The acquire command that a message about a hand-over causes, if the waiter gives up before it has asked itself. */
class HandOverMessagesTest {

    private static final String NAME = "orders:42";

    private static final String HOLDER = "holder";

    private static final Duration LONG = Duration.ofSeconds(60);

    private final HandClock clock = new HandClock();

    private final PuppetStore store = new PuppetStore();

    private final LockThreads threads = new LockThreads();

    private final AcquisitionIds ids = new AcquisitionIds();

    private final LocalQueues<Grant> queues = new LocalQueues<>(kind -> new LineTicket(this.ids.next(), this.clock));

    private final OrphanCleanup cleanup =
            new OrphanCleanup(this.clock, this.store, this.threads, LoggedNames.WITH_KEYS);

    private final HandOverMessages messages = new HandOverMessages(
            this.queues, this.store, this.clock, new ClaimLease(this.clock, 0, 0), null, LoggedNames.WITH_KEYS);

    @AfterEach
    void stop() {
        this.threads.shutdown();
        this.threads.shutdownNow();
    }

    private QueueNode<Grant> waiting() {
        LockSettings settings = LockSettings.of(LONG, OnLost.THROW, LONG, null, null, null, null, Duration.ZERO);
        Acquisition acquisition = new AcquisitionFactory(this.clock, settings, new LeaseTerms(settings))
                .begin(LockRequest.of(NAME), LONG, null);
        QueueNode<Grant> node = this.queues.enter(NAME, acquisition);
        node.onWake(() -> {});
        return node;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNothingBehindForAWaiterThatNeverAsked(boolean free) {
        this.store.acquireAsynchronously();
        this.store.acquire(NAME, HOLDER, LONG.toMillis(), false);
        QueueNode<Grant> node = waiting();
        LineTicket ticket = node.ticket();
        if (free) {
            this.store.release(NAME, HOLDER, 0, null);
        }

        this.messages.handedOver(NAME);

        List<PuppetStore.Received> asked = this.store.received("acquire");
        assertThat(asked).hasSize(2);
        assertThat(asked.get(1).acquisitionId()).isEqualTo(ticket.acquisitionId());
        new Succession(
                        this.queues,
                        null,
                        null,
                        this.cleanup,
                        new StopSignal(),
                        this.clock,
                        new ClaimLease(this.clock, 0, 0))
                .passOn(node, ticket);
        this.store.release(NAME, HOLDER, 0, null);
        await().atMost(Duration.ofSeconds(20)).until(() -> !this.store.isLocked(NAME));
        assertThat(this.store.received("release"))
                .extracting(PuppetStore.Received::acquisitionId)
                .contains(ticket.acquisitionId());
    }
}
