package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.AcquireReply;
import org.junit.jupiter.api.Test;

/** Claims that a message sends off: one at a time, none after the end of the place, and only a grant is taken from them. */
class PlaceClaimTest {

    private final HandClock clock = new HandClock();

    private final Place place = new Place("id");

    private Claim claim() {
        return new Claim(this.clock, 1000);
    }

    @Test
    void shouldTakeTheGrantOfAClaimOnce() {
        Claim claim = claim();
        assertThat(this.place.beginClaim(claim)).isTrue();
        assertThat(this.place.takeClaim(1000)).as("not answered yet").isNull();

        claim.answer(new AcquireReply.Granted(42));

        assertThat(this.place.takeClaim(1000)).isSameAs(claim);
        assertThat(this.place.takeClaim(1000)).isNull();
    }

    /** Something may have happened since it was sent; only the answer to a question that is asked now says no. */
    @Test
    void shouldNotBelieveAClaimThatBroughtNoGrant() {
        Claim claim = claim();
        assertThat(this.place.beginClaim(claim)).isTrue();

        claim.answer(new AcquireReply.Taken(500));

        assertThat(this.place.takeClaim(1000)).isNull();
    }

    @Test
    void shouldNotTakeAGrantForAnotherLease() {
        Claim claim = claim();
        assertThat(this.place.beginClaim(claim)).isTrue();
        claim.answer(new AcquireReply.Granted(42));

        assertThat(this.place.takeClaim(2000)).isNull();
    }

    @Test
    void shouldNotAskTwiceAtATime() {
        this.place.asking(1);
        assertThat(this.place.beginClaim(claim())).as("the waiter asks").isFalse();
        this.place.answered(null);

        Claim claim = claim();
        assertThat(this.place.beginClaim(claim)).isTrue();
        assertThat(this.place.beginClaim(claim())).as("a claim is on its way").isFalse();
        claim.answer(null);
        assertThat(this.place.beginClaim(claim())).isTrue();
    }

    /** An acquire after the release of its own id would take the lock for nobody. */
    @Test
    void shouldNotClaimForAPlaceThatHasEnded() {
        this.place.close();

        assertThat(this.place.beginClaim(claim())).isFalse();
    }

    @Test
    void shouldCountAClaimThatIsOnItsWayAsUnanswered() {
        Claim claim = claim();
        assertThat(this.place.beginClaim(claim)).isTrue();
        this.place.close();
        assertThat(this.place.unansweredMillis()).isEqualTo(1000);
        assertThat(this.place.isKnown()).isTrue();

        claim.answer(new AcquireReply.Taken(500));

        assertThat(this.place.unansweredMillis()).isZero();
    }
}
