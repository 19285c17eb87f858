package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a lock is kept for a minimum hold, whatever the store. */
abstract class MinimumHoldContract extends TwoInstances {

    /** Half of a lease, so that a lease that is set again shows. */
    private static final long HOLD = StoreInstance.LEASE / 2;

    private StoreInstance one;

    private long token;

    @BeforeEach
    void acquire() {
        this.one = instance("one");
        this.token = this.one.granted(NAME, "a");
    }

    private ReleaseReply keep(long millis) {
        return this.one.store().keep(NAME, "a", millis);
    }

    private void assertThatItIsKept() {
        assertThat(this.one.store().isLocked(NAME)).isTrue();
        StoredLock found = this.one.store().find(NAME);
        assertThat(found).isNotNull();
        assertThat(found.fencingToken()).isEqualTo(this.token);
        assertThat(found.remainingMillis()).isBetween(HOLD / 2, HOLD + 1);
    }

    @Test
    void shouldExpireByItself() {
        assertThat(keep(50)).isEqualTo(ReleaseReply.RELEASED);

        soon().until(() -> !this.one.store().isLocked(NAME));
        assertThat(this.one.granted(NAME, "b")).isGreaterThan(this.token);
        assertThat(keep(HOLD)).as("late").isEqualTo(ReleaseReply.TAKEN);
    }

    @Test
    void shouldNotChangeWhenCommandsOfTheGrantAreLate() {
        assertThat(keep(HOLD)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.renews(NAME, "a", StoreInstance.LEASE)).isEqualTo("TAKEN_OVER");
        assertThat(this.one.ask(NAME, "a")).isInstanceOf(AcquireReply.Taken.class);
        assertThat(this.one.releases(NAME, "a")).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.one.releases(NAME, "a", this.token, "next")).isEqualTo(ReleaseReply.TAKEN);

        assertThatItIsKept();
    }

    @Test
    void shouldNotBecomeLongerByARepetition() {
        assertThat(keep(HOLD)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(keep(StoreInstance.LEASE)).isEqualTo(ReleaseReply.RELEASED);

        assertThatItIsKept();
    }

    @Test
    void shouldNotPutALateAcquireIntoTheLine() {
        StoreInstance two = instance("two");
        assertThat(keep(HOLD)).isEqualTo(ReleaseReply.RELEASED);
        this.one.joins(NAME, "a");
        two.joins(NAME, "b");

        assertThat(this.one.store().forceRelease(NAME)).isTrue();

        assertThat(two.granted(NAME, "b")).isGreaterThan(this.token);
        assertThat(two.releases(NAME, "b")).isEqualTo(ReleaseReply.RELEASED);
        assertThat(two.store().isLocked(NAME)).as("for nobody").isFalse();
    }

    @Test
    void shouldEndByForce() {
        keep(HOLD);

        assertThat(this.one.store().forceRelease(NAME)).isTrue();

        assertThat(this.one.store().isLocked(NAME)).isFalse();
        assertThat(keep(HOLD)).isEqualTo(ReleaseReply.GONE);
        assertThat(this.one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldBeRefusedToAllButTheOwner() {
        assertThat(this.one.store().keep(NAME, "b", 1)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.one.store().keep("other", "a", HOLD)).isEqualTo(ReleaseReply.GONE);

        assertThat(this.one.granted(NAME, "a")).isEqualTo(this.token);
    }
}
