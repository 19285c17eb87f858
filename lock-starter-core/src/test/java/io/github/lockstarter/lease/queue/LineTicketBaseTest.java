package io.github.lockstarter.lease.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** From when on a message counts, and when it must not be believed: the chain of proofs that the ticket was no owner. */
class LineTicketBaseTest {

    private static final long OWNER = 100;

    private static final Duration USABLE = Duration.ofMillis(1_800);

    private static final Duration NANO = Duration.ofNanos(1);

    private final HandClock clock = new HandClock();

    private final ClaimLease claimLease = new ClaimLease(this.clock, 2_000, USABLE.toNanos());

    private final LineTicket ticket = new LineTicket("id", this.clock);

    private LineBase proof(long ownerToken) {
        return new LineBase(this.clock.nanoTime(), this.clock.currentTimeMillis(), ownerToken);
    }

    private LineBase prove(long ownerToken) {
        LineBase proof = proof(ownerToken);
        this.ticket.notOwner(proof, this.claimLease);
        return proof;
    }

    @Test
    void shouldHaveNoneBeforeATokenIsKnown() {
        assertThat(this.ticket.baseOf(OWNER)).isNull();

        prove(0);

        assertThat(this.ticket.baseOf(OWNER)).isNull();
    }

    @Test
    void shouldBeForLargerTokensOnly() {
        LineBase proof = prove(OWNER);

        assertThat(this.ticket.baseOf(OWNER + 1)).isEqualTo(proof);
        assertThat(this.ticket.baseOf(OWNER)).isNull();
        assertThat(this.ticket.baseOf(OWNER - 1)).isNull();
    }

    @Test
    void shouldBeTheLatestProof() {
        prove(OWNER);
        this.clock.pass(Duration.ofSeconds(1));
        LineBase refused = prove(0);

        assertThat(this.ticket.baseOf(OWNER + 1))
                .as("with the token that was seen before")
                .isEqualTo(new LineBase(refused.sentAt(), refused.sentAtWall(), OWNER));
        this.clock.pass(Duration.ofSeconds(1));
        LineBase later = prove(OWNER + 10);
        assertThat(this.ticket.baseOf(OWNER + 5)).isNull();
        assertThat(this.ticket.baseOf(OWNER + 11)).isEqualTo(later);
    }

    @Test
    void shouldNotMoveBackWithALateReply() {
        LineBase late = proof(OWNER);
        this.clock.pass(Duration.ofSeconds(1));
        LineBase proof = prove(OWNER + 10);

        this.ticket.notOwner(late, this.claimLease);

        assertThat(this.ticket.baseOf(OWNER + 5)).isNull();
        assertThat(this.ticket.baseOf(OWNER + 11)).isEqualTo(proof);
    }

    @Test
    void shouldStayWhileProofsFollowInTime() {
        for (int i = 0; i < 100; i++) {
            prove(OWNER);
            this.clock.pass(USABLE.minus(NANO));
        }
        prove(0);

        assertThat(this.ticket.baseOf(OWNER + 1)).isNotNull();
    }

    /** In between the ticket may have been granted the lock for that time, and the message may still be on its way. */
    @Test
    void shouldEndForEverWithAGap() {
        prove(OWNER);
        this.clock.pass(USABLE);

        prove(OWNER + 10);
        prove(OWNER + 20);

        assertThat(this.ticket.baseOf(OWNER + 30)).isNull();
    }

    @Test
    void shouldBeginWithTheTicket() {
        this.clock.pass(USABLE);

        prove(OWNER);

        assertThat(this.ticket.baseOf(OWNER + 1)).isNull();
    }

    @Test
    void shouldEndWithAGapOfTheWallClock() {
        prove(OWNER);
        this.clock.passSuspended(USABLE);

        prove(OWNER);

        assertThat(this.ticket.baseOf(OWNER + 1)).isNull();
    }

    @Test
    void shouldEndWithTheTicket() {
        prove(OWNER);

        this.ticket.close();

        assertThat(this.ticket.baseOf(OWNER + 1)).isNull();
    }

    @Test
    void shouldBeTakenOnceForTheLeaseThatItsRenewalSets() {
        LineBase proof = prove(OWNER);
        assertThat(this.ticket.believe(Claim.believed(proof, 2_000, OWNER + 1, ConfirmingRenewal.of(30_000))))
                .isTrue();
        assertThat(this.ticket.isKnown()).isTrue();

        Claim taken = this.ticket.takeClaim(30_000);

        assertThat(taken.confirmation()).isNotNull();
        assertThat(taken.sentAt()).isEqualTo(proof.sentAt());
        assertThat(taken.leaseMillis()).isEqualTo(2_000);
        assertThat(this.ticket.takeClaim(30_000)).isNull();
    }

    @Test
    void shouldNotBeTakenForAnotherLease() {
        assertThat(this.ticket.believe(Claim.believed(prove(OWNER), 2_000, OWNER + 1, ConfirmingRenewal.of(30_000))))
                .isTrue();

        assertThat(this.ticket.takeClaim(2_000)).isNull();
    }

    /** Its renewal can set the lease after the release of the ticket. */
    @Test
    void shouldCountAsUnansweredUntilItIsTaken() {
        this.ticket.believe(Claim.believed(prove(OWNER), 2_000, OWNER + 1, ConfirmingRenewal.of(30_000)));
        assertThat(this.ticket.unansweredMillis()).isEqualTo(30_000);

        this.ticket.takeClaim(30_000);

        assertThat(this.ticket.unansweredMillis()).isZero();
    }

    /** The reply of a claim that is on its way brings the grant, with a full lease. */
    @Test
    void shouldNotTakeThePlaceOfACommand() {
        LineBase proof = prove(OWNER);
        Claim sent = Claim.sent(this.clock, 30_000);
        assertThat(this.ticket.beginClaim(sent)).isTrue();

        assertThat(this.ticket.believe(Claim.believed(proof, 2_000, OWNER + 1, ConfirmingRenewal.of(30_000))))
                .isFalse();

        assertThat(this.ticket.unansweredMillis()).isEqualTo(30_000);
        sent.answer(new AcquireReply.Granted(OWNER + 1));
        assertThat(this.ticket.takeClaim(30_000)).isSameAs(sent);
    }

    @Test
    void shouldBeBelievedWithAQuarterLeft() {
        LineBase proof = proof(OWNER);
        this.clock.pass(Duration.ofMillis(1_300));
        assertThat(this.claimLease.isEnoughLeft(proof.sentAt(), proof.sentAtWall(), Long.MAX_VALUE))
                .isTrue();

        this.clock.passSuspended(Duration.ofMillis(1));

        assertThat(this.claimLease.isEnoughLeft(proof.sentAt(), proof.sentAtWall(), Long.MAX_VALUE))
                .as("by the other clock")
                .isFalse();
    }

    @Test
    void shouldNotBeBelievedForAFixedLeaseThatIsShorter() {
        LineBase proof = proof(OWNER);

        assertThat(this.claimLease.isEnoughLeft(proof.sentAt(), proof.sentAtWall(), 500_000_000))
                .isTrue();
        this.clock.pass(NANO);
        assertThat(this.claimLease.isEnoughLeft(proof.sentAt(), proof.sentAtWall(), 500_000_000))
                .isFalse();
    }

    @Test
    void shouldNotBeBelievedFromAStoreThatDoesNotNotify() {
        ClaimLease none = new ClaimLease(this.clock, 0, 0);
        LineBase proof = proof(OWNER);

        assertThat(none.isEnoughLeft(proof.sentAt(), proof.sentAtWall(), Long.MAX_VALUE))
                .isFalse();
    }
}
