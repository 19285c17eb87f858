package io.github.lockstarter.lease.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import org.junit.jupiter.api.Test;

/** Claims that a message sends off: one at a time, none after the end of the place, and only a grant is taken from them. */
class LineTicketClaimTest {

    private final HandClock clock = new HandClock();

    private final LineTicket ticket = new LineTicket("id", LeaseClock.SYSTEM);

    private Claim claim() {
        return Claim.sent(this.clock, 1000);
    }

    @Test
    void shouldTakeTheGrantOfAClaimOnce() {
        Claim claim = claim();
        assertThat(this.ticket.beginClaim(claim)).isTrue();
        assertThat(this.ticket.takeClaim(1000)).as("not answered yet").isNull();

        claim.answer(new AcquireReply.Granted(42));

        assertThat(this.ticket.takeClaim(1000)).isSameAs(claim);
        assertThat(this.ticket.takeClaim(1000)).isNull();
    }

    /** Something may have happened since it was sent; only the answer to a question that is asked now says no. */
    @Test
    void shouldNotBelieveAClaimThatBroughtNoGrant() {
        Claim claim = claim();
        assertThat(this.ticket.beginClaim(claim)).isTrue();

        claim.answer(new AcquireReply.Taken(500));

        assertThat(this.ticket.takeClaim(1000)).isNull();
    }

    @Test
    void shouldNotTakeAGrantForAnotherLease() {
        Claim claim = claim();
        assertThat(this.ticket.beginClaim(claim)).isTrue();
        claim.answer(new AcquireReply.Granted(42));

        assertThat(this.ticket.takeClaim(2000)).isNull();
    }

    @Test
    void shouldNotAskTwiceAtATime() {
        this.ticket.asking(1);
        assertThat(this.ticket.beginClaim(claim())).as("the waiter asks").isFalse();
        this.ticket.answered(null);

        Claim claim = claim();
        assertThat(this.ticket.beginClaim(claim)).isTrue();
        assertThat(this.ticket.beginClaim(claim())).as("a claim is on its way").isFalse();
        claim.answer(null);
        assertThat(this.ticket.beginClaim(claim())).isTrue();
    }

    /** An acquire after the release of its own id would take the lock for nobody. */
    @Test
    void shouldNotClaimForAPlaceThatHasEnded() {
        this.ticket.close();

        assertThat(this.ticket.beginClaim(claim())).isFalse();
    }

    @Test
    void shouldCountAClaimThatIsOnItsWayAsUnanswered() {
        Claim claim = claim();
        assertThat(this.ticket.beginClaim(claim)).isTrue();
        this.ticket.close();
        assertThat(this.ticket.unansweredMillis()).isEqualTo(1000);
        assertThat(this.ticket.isKnown()).isTrue();

        claim.answer(new AcquireReply.Taken(500));

        assertThat(this.ticket.unansweredMillis()).isZero();
    }
}
