package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.AcquireReply.Granted;
import io.github.lockstarter.store.AcquireReply.Taken;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How two instances wait for the same lock, whatever the store. */
abstract class WaitingLineContract extends TwoInstances {

    @Test
    void shouldHandTheLockOverInTheOrderOfArrival() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        long last = one.granted(NAME, "id0");
        for (int i = 1; i <= 20; i++) {
            (i % 3 == 0 ? two : one).joins(NAME, "id" + i);
            (i % 3 == 0 ? two : one).joins(NAME, "id" + i);
        }

        for (int i = 1; i <= 20; i++) {
            assertThat((i % 2 == 0 ? two : one).releases(NAME, "id" + (i - 1))).isEqualTo(ReleaseReply.RELEASED);
            assertThat(one.ask(NAME, "trying")).as("not free for others").isInstanceOf(Taken.class);
            long token = (i % 3 == 0 ? two : one).granted(NAME, "id" + i);
            assertThat(token).isGreaterThan(last);
            last = token;
        }
        assertThat(one.releases(NAME, "id20")).isEqualTo(ReleaseReply.RELEASED);
        assertThat(one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldKeepTheLockForTheNextOfTheSameInstanceIfNobodyStandsInLine() {
        StoreInstance one = instance("one");
        long token = one.granted(NAME, "a");

        ReleaseReply reply = one.releases(NAME, "a", token + 64, "b");

        assertThat(reply.outcome()).isEqualTo(ReleaseReply.Outcome.GRANTED_TO_SUCCESSOR);
        assertThat(reply.isReleased()).isTrue();
        assertThat(reply.fencingToken()).isGreaterThan(token + 64);
        assertThat(one.granted(NAME, "b")).isEqualTo(reply.fencingToken());
        assertThat(one.releases(NAME, "a")).isEqualTo(ReleaseReply.TAKEN);
    }

    @Test
    void shouldLetOthersGoBeforeTheNextOfTheSameInstance() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        long token = one.granted(NAME, "a");
        two.joins(NAME, "b");
        two.joins(NAME, "b too");

        assertThat(one.releases(NAME, "a", token + 64, "c"))
                .extracting(ReleaseReply::outcome)
                .isEqualTo(ReleaseReply.Outcome.QUEUED);

        assertThat(two.granted(NAME, "b")).isGreaterThan(token + 64);
        two.releases(NAME, "b");
        assertThat(two.granted(NAME, "b too")).isPositive();
        two.releases(NAME, "b too");
        assertThat(one.granted(NAME, "c")).isPositive();
        soon().until(() -> one.heard().handedOver().contains(NAME));
    }

    @Test
    void shouldLeaveTheLine() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        List.of("head", "middle", "tail").forEach(id -> two.joins(NAME, id));

        assertThat(two.releases(NAME, "middle")).isEqualTo(ReleaseReply.LEFT);
        assertThat(two.releases(NAME, "middle")).isEqualTo(ReleaseReply.TAKEN);
        assertThat(two.releases(NAME, "head")).isEqualTo(ReleaseReply.LEFT);
        assertThat(one.releases(NAME, "a")).isEqualTo(ReleaseReply.RELEASED);

        assertThat(two.granted(NAME, "tail")).isPositive();
        assertThat(two.releases(NAME, "tail")).isEqualTo(ReleaseReply.RELEASED);
        assertThat(two.releases(NAME, "head")).isEqualTo(ReleaseReply.GONE);
    }

    @Test
    void shouldPassOnWhatWasGrantedToOneThatGivesUp() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        two.joins(NAME, "head");
        one.joins(NAME, "behind");
        one.releases(NAME, "a");

        assertThat(two.releases(NAME, "head"))
                .as("who leaves and has been granted the lock meanwhile")
                .isEqualTo(ReleaseReply.RELEASED);

        assertThat(one.granted(NAME, "behind")).isPositive();
    }

    @Test
    void shouldGiveTheFullLeaseToWhoClaims() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        two.joins(NAME, "b");
        one.releases(NAME, "a");

        assertThat(remainingMillis(one)).as("time for the claim").isLessThan(StoreInstance.LEASE / 2);
        two.granted(NAME, "b");
        assertThat(remainingMillis(one)).as("full lease").isGreaterThan(StoreInstance.LEASE / 2);
    }

    private static long remainingMillis(StoreInstance instance) {
        return ((Taken) instance.ask(NAME, "probe")).remainingMillis();
    }

    @Test
    void shouldForgetTheLineOfALeaseThatRanOut() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        assertThat(one.store().acquire(NAME, "a", 500, false)).isInstanceOf(Granted.class);
        one.joins(NAME, "first");
        one.joins(NAME, "second");
        soon().until(() -> !one.store().isLocked(NAME));

        assertThat(two.granted(NAME, "third")).as("whoever asks first").isPositive();
        assertThat(two.releases(NAME, "third")).isEqualTo(ReleaseReply.RELEASED);

        assertThat(one.store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldPassOnWhatIsTakenByForce() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        two.joins(NAME, "b");

        assertThat(one.store().forceRelease(NAME)).isTrue();

        assertThat(two.granted(NAME, "b")).isPositive();
        assertThat(one.releases(NAME, "a")).isEqualTo(ReleaseReply.TAKEN);
        assertThat(one.store().forceRelease(NAME)).isTrue();
        assertThat(one.store().forceRelease(NAME)).isFalse();
    }

    @Test
    void shouldAnswerAReleaseLaterAsARelease() throws Exception {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        two.joins(NAME, "b");

        assertThat(later(one, "stranger", null)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(later(one, "a", "c")).extracting(ReleaseReply::outcome).isEqualTo(ReleaseReply.Outcome.QUEUED);
        assertThat(later(one, "c", null)).isEqualTo(ReleaseReply.LEFT);
        assertThat(later(two, "b", "d").outcome()).isEqualTo(ReleaseReply.Outcome.GRANTED_TO_SUCCESSOR);
        assertThat(later(two, "d", null)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(later(two, "d", null)).isEqualTo(ReleaseReply.GONE);
    }

    private static ReleaseReply later(StoreInstance instance, String id, @Nullable String next) throws Exception {
        return instance.store()
                .releaseLater(NAME, id, 0, next != null ? new Successor(next, StoreInstance.LEASE) : null)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldGrantWhatWasReleasedJustBefore() {
        StoreInstance one = instance("one");
        one.granted(NAME, "warm");
        one.releases(NAME, "warm");

        for (int i = 0; i < 1_000; i++) {
            one.granted(NAME, "id" + i);
            one.store().releaseLater(NAME, "id" + i, 0, null);
        }
        assertThat(one.ask(NAME, "last")).isInstanceOf(Granted.class);
    }
}
