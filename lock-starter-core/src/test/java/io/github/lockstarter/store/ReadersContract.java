package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.ReleaseReply.Outcome;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How readers share a lock, and how they and writers wait for each other, whatever the store. */
abstract class ReadersContract extends TwoInstances {

    private static final String A = GrantKind.READER.idOf("a");

    private static final String B = GrantKind.READER.idOf("b");

    private static final String C = GrantKind.READER.idOf("c");

    private static final long LEASE = StoreInstance.LEASE;

    /** Milliseconds of a lease that is to expire in the test. */
    private static final long SHORT = 150;

    private StoreInstance one;

    private StoreInstance two;

    /** A store whose waiters must poll more than once in three seconds. */
    abstract LockStore newPollingStore();

    @BeforeEach
    void start() {
        this.one = instance("one");
        this.two = instance("two");
    }

    @Test
    void shouldShareTheLockAmongReaders() {
        long first = this.one.granted(NAME, A);
        long second = this.two.granted(NAME, B);

        assertThat(second).isGreaterThan(first);
        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(A, B);
        assertThat(this.one.holder(NAME, A).fencingToken()).isEqualTo(first);
        assertThat(this.one.holder(NAME, A).weight()).isZero();
        assertThat(this.one.store().find(NAME).fencingToken()).isEqualTo(second);
        assertThat(this.one.refused(NAME, "w")).isBetween(LEASE / 2, LEASE);
        assertThat(this.one.releases(NAME, A)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.releases(NAME, A)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.two.releases(NAME, B)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.two.releases(NAME, B)).isEqualTo(ReleaseReply.GONE);
        assertThat(this.one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldGrantNothingPastTheHead() {
        this.one.granted(NAME, A);
        this.two.joins(NAME, "w");

        assertThat(this.one.polls(NAME, B)).as("a reader behind a writer").isFalse();
        assertThat(this.two.refused(NAME, C)).isPositive();
        assertThat(this.one.releases(NAME, A)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.owners(NAME)).containsExactly("w");
        assertThat(this.two.releases(NAME, "w")).isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.owners(NAME)).containsExactly(B);
        soon().until(() -> this.one.heard().handedOver().contains(NAME));
    }

    @Test
    void shouldWakeReadersTogether() {
        long written = this.one.granted(NAME, "w");
        this.two.joins(NAME, A);
        this.one.joins(NAME, B);
        this.two.joins(NAME, C);
        this.two.joins(NAME, "w2");
        String behind = GrantKind.READER.idOf("behind");
        this.one.joins(NAME, behind);

        assertThat(this.one.releases(NAME, "w", written + 64, null)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(A, B, C);
        assertThat(this.one.holder(NAME, A).fencingToken()).isGreaterThan(written + 64);
        assertThat(this.one.holder(NAME, A).remainingMillis())
                .as("time for the claim")
                .isLessThan(LEASE / 2);
        assertThat(this.one.store().find(NAME).waiting()).isEqualTo(2);
        soon().until(() -> this.one.heard().handedOver().contains(NAME)
                && this.two.heard().handedOver().contains(NAME));
        assertThat(this.two.granted(NAME, A)).as("claim").isPositive();
        assertThat(this.one.holder(NAME, A).remainingMillis()).isGreaterThan(LEASE / 2);
        assertThat(this.one.releases(NAME, behind)).isEqualTo(ReleaseReply.LEFT);
    }

    @Test
    void shouldOrderTokens() {
        long first = this.one.granted(NAME, A);
        long second = this.two.granted(NAME, B);
        assertThat(second).isGreaterThan(first);
        this.one.joins(NAME, "w");
        this.two.joins(NAME, C);
        this.one.releases(NAME, A);
        this.two.releases(NAME, B, second + 64, null);
        long written = this.one.granted(NAME, "w");
        assertThat(written).isGreaterThan(second + 64);
        this.one.releases(NAME, "w", written + 64, null);
        long third = this.two.granted(NAME, C);
        assertThat(third).isGreaterThan(written + 64);
        this.two.releases(NAME, C);

        assertThat(this.one.granted(NAME, "w2")).isGreaterThan(third);
    }

    @Test
    void shouldNotReviveAnExpiredReaderByARenewal() {
        this.one.granted(NAME, A, SHORT);
        this.two.granted(NAME, B);
        soon().until(() -> this.one.owners(NAME).size() == 1);

        assertThat(this.one.renews(NAME, A, LEASE)).isEqualTo("DELETED");

        assertThat(this.one.owners(NAME)).containsExactly(B);
        this.two.releases(NAME, B);
        assertThat(this.one.granted(NAME, "w")).isPositive();
        assertThat(this.one.renews(NAME, A, LEASE)).isEqualTo("TAKEN_OVER");
    }

    @Test
    void shouldLetWritersInAlthoughOneReaderHasCrashed() {
        this.one.granted(NAME, A, SHORT);
        this.two.granted(NAME, B);
        this.two.joins(NAME, "w");

        this.two.releases(NAME, B);

        soon().until(() -> this.two.polls(NAME, "w"));
        assertThat(this.one.owners(NAME)).containsExactly("w");
        assertThat(this.one.releases(NAME, A)).as("late").isEqualTo(ReleaseReply.TAKEN);
    }

    @Test
    void shouldNotCutTheLeaseOfOthersByAShorterOne() {
        this.one.granted(NAME, A);
        this.two.granted(NAME, B, SHORT);
        assertThat(this.one.refused(NAME, "w")).as("the first to end").isBetween(1L, SHORT + 1);
        assertThat(this.one.renews(NAME, A, SHORT)).isEqualTo("renewed");
        assertThat(this.one.granted(NAME, A, SHORT)).isPositive();

        soon().until(() -> this.one.owners(NAME).size() == 1);

        assertThat(this.one.owners(NAME)).containsExactly(A);
        assertThat(this.one.holder(NAME, A).remainingMillis()).isGreaterThan(LEASE / 2);
        assertThat(this.one.refused(NAME, "w")).isGreaterThan(LEASE / 2);
        assertThat(this.one.store().find(NAME).remainingMillis()).isGreaterThan(LEASE / 2);
    }

    @Test
    void shouldRenewAReader() {
        this.one.granted(NAME, A, 5_000);
        this.two.granted(NAME, B, 5_000);

        assertThat(this.two.renews(NAME, B, LEASE)).isEqualTo("renewed");

        assertThat(this.one.holder(NAME, B).remainingMillis()).isGreaterThan(LEASE / 2);
        assertThat(this.one.holder(NAME, A).remainingMillis()).isLessThanOrEqualTo(5_001);
        assertThat(this.one.renews(NAME, C, LEASE)).isEqualTo("DELETED");
    }

    @Test
    void shouldCountARepeatedAcquireOnce() {
        long token = this.one.granted(NAME, A);
        this.two.granted(NAME, B);
        this.two.joins(NAME, "w");

        assertThat(this.one.granted(NAME, A)).as("although a writer waits").isEqualTo(token);
        this.one.releases(NAME, A);
        this.two.releases(NAME, B);

        assertThat(this.one.owners(NAME)).containsExactly("w");
    }

    @Test
    void shouldUndoAnAcquireThatIsLateByARepeatedRelease() {
        this.one.granted(NAME, A);
        this.one.releases(NAME, A);
        this.one.granted(NAME, A);

        assertThat(this.one.releases(NAME, A)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldBlockBehindADeadHeadOnlyForItsDeadline() {
        StoreInstance polling = instance("polling", newPollingStore());
        this.one.granted(NAME, A);
        polling.joins(NAME, "dead");

        soon().until(() -> this.two.polls(NAME, B));

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(A, B);
        assertThat(this.one.store().find(NAME).waiting()).isZero();
    }

    @Test
    void shouldGiveADeadlineToThoseThatJoinedWhileAWriterOwnedTheLock() {
        StoreInstance polling = instance("polling", newPollingStore());
        this.one.granted(NAME, "w");
        this.two.joins(NAME, A);
        polling.joins(NAME, "dead");
        this.one.releases(NAME, "w");
        this.two.granted(NAME, A);

        soon().until(() -> this.two.polls(NAME, B));

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(A, B);
    }

    @Test
    void shouldLetThoseBehindInWhenTheHeadLeaves() {
        this.one.granted(NAME, A);
        this.two.joins(NAME, "w");
        this.two.joins(NAME, B);
        this.one.joins(NAME, C);
        this.two.joins(NAME, "w2");

        assertThat(this.two.releases(NAME, "w")).isEqualTo(ReleaseReply.LEFT);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(A, B, C);
        soon().until(() -> this.two.heard().handedOver().contains(NAME));
        assertThat(this.two.releases(NAME, "w2")).isEqualTo(ReleaseReply.LEFT);
        assertThat(this.two.releases(NAME, "w2")).isEqualTo(ReleaseReply.TAKEN);
    }

    @Test
    void shouldGrantToTheNextReaderOfTheSameInstance() {
        long token = this.one.granted(NAME, A);

        ReleaseReply reply = this.one.releases(NAME, A, token + 64, B);

        assertThat(reply.outcome()).isEqualTo(Outcome.GRANTED_TO_SUCCESSOR);
        assertThat(reply.fencingToken()).isGreaterThan(token + 64);
        assertThat(this.one.releases(NAME, A, token + 64, B)).as("repeated").isEqualTo(reply);
        assertThat(this.one.owners(NAME)).containsExactly(B);
        assertThat(this.one.granted(NAME, B)).isEqualTo(reply.fencingToken());
    }

    @Test
    void shouldPutTheNextReaderBehindAWaitingWriter() {
        this.one.granted(NAME, A);
        this.two.granted(NAME, B);
        this.two.joins(NAME, "w");

        ReleaseReply reply = this.one.releases(NAME, A, 0, C);
        assertThat(reply.outcome()).isEqualTo(Outcome.QUEUED);
        assertThat(this.one.releases(NAME, A, 0, C)).as("repeated").isEqualTo(reply);
        assertThat(this.two.releases(NAME, B, 0, null)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.owners(NAME)).containsExactly("w");
        this.two.releases(NAME, "w");

        assertThat(this.one.owners(NAME)).containsExactly(C);
        assertThat(this.one.holder(NAME, C).fencingToken()).isGreaterThan(reply.fencingToken());
    }

    @Test
    void shouldKeepOneReaderForItsMinimumHold() {
        this.one.granted(NAME, A);
        this.two.granted(NAME, B);
        assertThat(this.one.store().keep(NAME, A, 5_000)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.store().keep(NAME, A, LEASE)).as("repeated").isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.renews(NAME, A, LEASE)).isEqualTo("DELETED");
        assertThat(this.one.polls(NAME, A)).as("late acquire").isFalse();
        assertThat(this.one.store().find(NAME).waiting()).isZero();
        assertThat(this.one.releases(NAME, A)).as("late release").isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.one.holder(NAME, A).remainingMillis()).isLessThanOrEqualTo(5_001);
        assertThat(this.two.holder(NAME, B).remainingMillis()).isGreaterThan(LEASE / 2);
        assertThat(this.one.store().keep(NAME, C, LEASE)).isEqualTo(ReleaseReply.TAKEN);
        this.two.releases(NAME, B);
        assertThat(this.one.refused(NAME, "w")).isBetween(1L, 5_001L);
        assertThat(this.one.store().forceRelease(NAME)).isTrue();
        assertThat(this.one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldReleaseAllReadersByForce() {
        this.one.granted(NAME, A);
        this.two.granted(NAME, B);
        this.two.joins(NAME, "w");

        assertThat(this.one.store().forceRelease(NAME)).isTrue();

        assertThat(this.one.owners(NAME)).containsExactly("w");
        assertThat(this.two.renews(NAME, B, LEASE)).isEqualTo("TAKEN_OVER");
        assertThat(Objects.requireNonNull(this.one.store().find(NAME)).waiting())
                .isZero();
    }
}
