package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.ReleaseReply.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the holders of permits share a semaphore, whatever the store. */
abstract class PermitsContract extends TwoInstances {

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

    private static String id(String plainId, int weight, int limit) {
        return GrantKind.permits(weight, limit).idOf(plainId);
    }

    @Test
    void shouldGrantPermitsUpToTheLimit() {
        String a = id("a", 1, 2);
        String b = id("b", 1, 2);
        String c = id("c", 1, 2);
        long first = this.one.granted(NAME, a, 5_000);
        long second = this.two.granted(NAME, b);

        assertThat(second).isGreaterThan(first);
        assertThat(this.one.refused(NAME, c)).as("until the first lease ends").isBetween(1L, 5_001L);
        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(a, b);
        assertThat(this.one.holder(NAME, b).weight()).isEqualTo(1);
        assertThat(this.one.releases(NAME, a)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.releases(NAME, a)).as("repeated").isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.one.granted(NAME, c)).isGreaterThan(second);
        assertThat(this.one.refused(NAME, id("d", 1, 2))).isPositive();
    }

    @Test
    void shouldAddWeights() {
        this.one.granted(NAME, id("a", 3, 4));

        assertThat(this.two.refused(NAME, id("b", 2, 4))).isPositive();
        assertThat(this.two.granted(NAME, id("c", 1, 4))).isPositive();
        assertThat(this.two.refused(NAME, id("d", 1, 4))).isPositive();
    }

    @Test
    void shouldGrantNothingPastTheHead() {
        String heavy = id("heavy", 2, 4);
        String light = id("light", 1, 4);
        this.one.granted(NAME, id("a", 3, 4));
        this.two.joins(NAME, heavy);

        assertThat(this.one.polls(NAME, light)).as("would fit").isFalse();
        this.one.releases(NAME, id("a", 3, 4));

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(heavy, light);
    }

    @Test
    void shouldGrantAReleaseOfTwoToAWaiterForTwo() {
        String a = id("a", 2, 2);
        String heavy = id("heavy", 2, 2);
        this.one.granted(NAME, a);
        this.two.joins(NAME, heavy);

        this.one.releases(NAME, a);

        assertThat(this.one.owners(NAME)).containsExactly(heavy);
        soon().until(() -> this.two.heard().handedOver().contains(NAME));
        assertThat(this.two.granted(NAME, heavy)).isPositive();
    }

    @Test
    void shouldGrantTwoReleasesToAWaiterForTwo() {
        String heavy = id("heavy", 2, 2);
        this.one.granted(NAME, id("a", 1, 2));
        this.one.granted(NAME, id("b", 1, 2));
        this.two.joins(NAME, heavy);

        this.one.releases(NAME, id("a", 1, 2));
        assertThat(this.one.owners(NAME)).containsExactly(id("b", 1, 2));
        this.one.releases(NAME, id("b", 1, 2));

        assertThat(this.one.owners(NAME)).containsExactly(heavy);
        soon().until(() -> this.two.heard().handedOver().contains(NAME));
    }

    @Test
    void shouldGrantAReleaseOfTwoToTwoWaiters() {
        String a = id("a", 2, 2);
        this.one.granted(NAME, a);
        this.one.joins(NAME, id("b", 1, 2));
        this.two.joins(NAME, id("c", 1, 2));
        this.two.joins(NAME, id("d", 1, 2));

        this.one.releases(NAME, a);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("b", 1, 2), id("c", 1, 2));
        assertThat(this.one.store().find(NAME).waiting()).isEqualTo(1);
        soon().until(() -> this.one.heard().handedOver().contains(NAME)
                && this.two.heard().handedOver().contains(NAME));
    }

    @Test
    void shouldCountARaisedOrLoweredLimitAtOnce() {
        this.one.granted(NAME, id("a", 1, 1));
        assertThat(this.two.refused(NAME, id("b", 1, 1))).isPositive();

        assertThat(this.two.granted(NAME, id("c", 1, 2))).as("raised").isPositive();
        assertThat(this.two.refused(NAME, id("d", 1, 2))).isPositive();
        this.one.releases(NAME, id("a", 1, 1));
        assertThat(this.two.refused(NAME, id("e", 1, 1))).as("lowered").isPositive();
        this.two.releases(NAME, id("c", 1, 2));
        assertThat(this.two.granted(NAME, id("f", 1, 1))).isPositive();
    }

    @Test
    void shouldGrantToAWaiterWithARaisedLimit() {
        this.one.granted(NAME, id("a", 1, 1));
        this.two.joins(NAME, id("b", 1, 1));
        this.two.joins(NAME, id("c", 1, 3));

        assertThat(this.two.releases(NAME, id("b", 1, 1))).isEqualTo(ReleaseReply.LEFT);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("a", 1, 1), id("c", 1, 3));
    }

    @Test
    void shouldCountAPermitOnceIfAnAcquireIsRepeated() {
        String a = id("a", 1, 2);
        long token = this.one.granted(NAME, a);
        assertThat(this.one.granted(NAME, a)).isEqualTo(token);
        this.two.granted(NAME, id("b", 1, 2));

        this.one.releases(NAME, a);

        assertThat(this.one.granted(NAME, id("c", 1, 2))).isGreaterThan(token);
        assertThat(this.one.owners(NAME)).hasSize(2);
    }

    @Test
    void shouldReturnThePermitsOfAHolderThatHasCrashed() {
        this.one.granted(NAME, id("crashed", 2, 3), SHORT);
        this.two.granted(NAME, id("a", 1, 3));
        String heavy = id("heavy", 2, 3);
        assertThat(this.two.polls(NAME, heavy)).isFalse();

        soon().until(() -> this.two.polls(NAME, heavy));

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("a", 1, 3), heavy);
        assertThat(this.one.renews(NAME, id("crashed", 2, 3), LEASE)).isEqualTo("DELETED");
    }

    @Test
    void shouldBlockBehindADeadHeadOnlyForItsDeadline() {
        StoreInstance polling = instance("polling", newPollingStore());
        this.one.granted(NAME, id("a", 1, 2));
        polling.joins(NAME, id("dead", 2, 2));

        soon().until(() -> this.two.polls(NAME, id("b", 1, 2)));

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("a", 1, 2), id("b", 1, 2));
    }

    @Test
    void shouldLetThoseBehindInWhenTheHeadLeaves() {
        this.one.granted(NAME, id("a", 2, 3));
        this.two.joins(NAME, id("heavy", 3, 3));
        this.two.joins(NAME, id("light", 1, 3));

        assertThat(this.two.releases(NAME, id("heavy", 3, 3))).isEqualTo(ReleaseReply.LEFT);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("a", 2, 3), id("light", 1, 3));
        soon().until(() -> this.two.heard().handedOver().contains(NAME));
    }

    @Test
    void shouldGrantToTheNextOfTheSameInstance() {
        String a = id("a", 1, 1);
        String b = id("b", 1, 1);
        long token = this.one.granted(NAME, a);

        ReleaseReply reply = this.one.releases(NAME, a, token + 64, b);

        assertThat(reply.outcome()).isEqualTo(Outcome.GRANTED_TO_SUCCESSOR);
        assertThat(reply.fencingToken()).isGreaterThan(token + 64);
        assertThat(this.one.releases(NAME, a, token + 64, b)).as("repeated").isEqualTo(reply);
        this.two.joins(NAME, id("c", 1, 1));
        assertThat(this.one.releases(NAME, b, 0, id("d", 1, 1)).outcome()).isEqualTo(Outcome.QUEUED);
        assertThat(this.one.owners(NAME)).containsExactly(id("c", 1, 1));
    }

    @Test
    void shouldKeepPermitsForAMinimumHold() {
        String a = id("a", 1, 2);
        this.one.granted(NAME, a);
        this.two.granted(NAME, id("b", 1, 2));

        assertThat(this.one.store().keep(NAME, a, SHORT)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(a, id("b", 1, 2));
        assertThat(this.one.polls(NAME, a)).as("late acquire").isFalse();
        soon().until(() -> this.one.polls(NAME, id("c", 1, 2)));
        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(id("b", 1, 2), id("c", 1, 2));
    }

    @Test
    void shouldReleaseAllPermitsByForce() {
        this.one.granted(NAME, id("a", 1, 3));
        this.two.granted(NAME, id("b", 2, 3));

        assertThat(this.one.store().forceRelease(NAME)).isTrue();

        assertThat(this.one.store().isLocked(NAME)).isFalse();
        assertThat(this.one.store().forceRelease(NAME)).isFalse();
    }

    @Test
    void shouldRefuseLocksWhileInUseForPermits() {
        String a = id("a", 1, 2);
        this.one.granted(NAME, a);

        assertThatItIsRefused("w");
        assertThatItIsRefused(GrantKind.READER.idOf("r"));

        assertThat(this.one.owners(NAME)).containsExactly(a);
        assertThat(this.one.store().find(NAME).waiting()).isZero();
        this.one.releases(NAME, a);
        assertThat(this.two.granted(NAME, "w")).as("in use for nothing").isPositive();
    }

    @Test
    void shouldRefusePermitsWhileInUseAsALock() {
        this.one.granted(NAME, "w");
        assertThatItIsRefused(id("a", 1, 2));
        this.one.releases(NAME, "w");
        String reader = GrantKind.READER.idOf("r");
        this.one.granted(NAME, reader);
        assertThatItIsRefused(id("a", 1, 2));

        assertThat(this.one.owners(NAME)).containsExactly(reader);
        this.one.releases(NAME, reader);
        assertThat(this.two.granted(NAME, id("a", 1, 2))).isPositive();
    }

    private void assertThatItIsRefused(String id) {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> this.two.polls(NAME, id))
                .withMessageContaining("orders")
                .withMessageContaining("as a lock")
                .withMessageContaining("for permits")
                .satisfies(ex -> {
                    assertThat(ex.isOutcomeUnknown()).isFalse();
                    assertThat(ex.isTransient()).isFalse();
                });
    }
}
