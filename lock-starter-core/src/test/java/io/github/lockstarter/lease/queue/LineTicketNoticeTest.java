package io.github.lockstarter.lease.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages about a place: they reach whoever asks from it, now or later. */
class LineTicketNoticeTest {

    private static final String NAME = "orders:42";

    private final LocalQueues<Grant> queues = new LocalQueues<>(kind -> new LineTicket("id", LeaseClock.SYSTEM));

    private final QueueNode<Grant> first = this.queues.enter(NAME, null);

    private final QueueNode<Grant> second = this.queues.enter(NAME, null);

    @Test
    void shouldWakeOnlyWhoHasTheTurn() {
        List<String> woken = new ArrayList<>();
        this.first.onWake(() -> woken.add("first"));
        this.second.onWake(() -> woken.add("second"));
        QueueNode<Grant> other = this.queues.enter("orders:1", null);
        other.onWake(() -> woken.add("other"));

        HandOverNotice.of(this.queues, NAME);
        HandOverNotice.of(this.queues, "unknown");
        assertThat(woken).containsExactly("first");
        this.queues.leave(this.first);
        HandOverNotice.of(this.queues, NAME);
        assertThat(woken).containsExactly("first", "second");
        this.queues.wakeAll();

        assertThat(woken).containsExactlyInAnyOrder("first", "second", "second", "other");
    }

    @Test
    void shouldBeNoticedUntilTheNextLookBegins() {
        LineTicket ticket = this.first.ticket();
        assertThat(ticket.isNoticed()).isFalse();

        HandOverNotice.of(this.queues, NAME);
        assertThat(ticket.isNoticed()).isTrue();
        ticket.asking(0);

        assertThat(ticket.isNoticed()).isFalse();
        assertThat(ticket.wasHandedOver()).isTrue();
        this.queues.wakeAll();
        assertThat(ticket.isNoticed()).isTrue();
    }

    /** Only a message says that the lock came from another JVM, not that something may have been missed. */
    @Test
    void shouldNotTakeAnyLookForAHandOver() {
        this.queues.wakeAll();

        assertThat(this.first.ticket().isNoticed()).isTrue();
        assertThat(this.first.ticket().wasHandedOver()).isFalse();
    }

    @Test
    void shouldBelieveTheStoreAgainstAnEarlierMessageOnly() {
        LineTicket ticket = this.first.ticket();
        HandOverNotice.of(this.queues, NAME);
        ticket.asking(1);
        assertThat(ticket.wasHandedOver()).isTrue();
        ticket.taken(true);
        assertThat(ticket.wasHandedOver()).isFalse();

        ticket.asking(2);
        HandOverNotice.of(this.queues, NAME);
        ticket.taken(true);
        assertThat(ticket.wasHandedOver()).isTrue();
    }

    /** The message comes while the release is on its way that gave the place to those behind. */
    @Test
    void shouldReachWhoIsCalledAfterwards() {
        this.first.settle();
        LineTicket ticket = new LineTicket("next", LeaseClock.SYSTEM);
        this.first.prepare(ticket);

        HandOverNotice.of(this.queues, NAME);
        this.queues.leave(this.first, ticket);

        assertThat(this.second.ticket()).isSameAs(ticket);
        assertThat(ticket.isNoticed()).isTrue();
    }

    /** The turn has been given on, but the one whose it is has not been called yet. */
    @Test
    void shouldReachWhoIsBeingCalled() {
        this.first.settle();
        LineTicket ticket = new LineTicket("next", LeaseClock.SYSTEM);
        this.first.prepare(ticket);
        QueueNode<Grant> called = this.queues.end(this.first);

        HandOverNotice.of(this.queues, NAME);
        called.callToAsk(ticket);

        assertThat(ticket.isNoticed()).isTrue();
    }

    @Test
    void shouldNotMindAHolder() {
        this.first.settle();

        HandOverNotice.of(this.queues, NAME);
        this.queues.wakeAll();
        this.queues.leave(this.first);

        assertThat(this.second.ticket().isNoticed()).isFalse();
    }

    @Test
    void shouldBeGivenUpOnlyIfTheStoreMayKnowIt() {
        LineTicket unknown = new LineTicket("id", LeaseClock.SYSTEM);
        assertThat(unknown.isKnown()).isFalse();
        unknown.asking(1);
        unknown.answered(null);
        assertThat(unknown.isKnown()).isFalse();

        LineTicket joined = new LineTicket("id", LeaseClock.SYSTEM);
        joined.taken(true);
        LineTicket queued = new LineTicket("id", LeaseClock.SYSTEM);
        queued.queued(1);
        LineTicket owned = new LineTicket("id", LeaseClock.SYSTEM);
        owned.owned();
        LineTicket unanswered = new LineTicket("id", LeaseClock.SYSTEM);
        unanswered.unanswered(30);
        unanswered.unanswered(20);

        assertThat(List.of(joined, queued, owned, unanswered)).allMatch(LineTicket::isKnown);
        assertThat(unanswered.unansweredMillis()).isEqualTo(30);
    }
}
