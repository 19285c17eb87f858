package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.AcquireReply.Taken;
import org.junit.jupiter.api.Test;

/** What an instance hears about locks for which it waits, whatever the store. */
abstract class WaitingListenerContract extends TwoInstances {

    @Test
    void shouldTellTheInstanceToWhichTheLockWent() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        two.joins(NAME, "b");
        assertThat(two.heard().handedOver()).isEmpty();

        one.releases(NAME, "a");

        soon().until(() -> two.heard().handedOver().contains(NAME));
        assertThat(two.heard().handedOver()).containsExactly(NAME);
    }

    @Test
    void shouldTellNobodyIfNobodyWaits() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        one.granted(NAME, "a");
        assertThat(two.ask(NAME, "trying")).isInstanceOf(Taken.class);
        assertThat(two.releases(NAME, "trying")).isEqualTo(ReleaseReply.TAKEN);
        one.releases(NAME, "a", 0, "next of one");
        one.releases(NAME, "next of one");

        // whatever was said before this comes first
        one.granted("last", "a");
        one.joins("last", "b");
        two.joins("last", "c");
        one.releases("last", "a");
        one.releases("last", "b");

        soon().until(() -> one.heard().handedOver().contains("last")
                && two.heard().handedOver().contains("last"));
        assertThat(one.heard().handedOver()).doesNotContain(NAME);
        assertThat(two.heard().handedOver()).doesNotContain(NAME);
    }

    @Test
    void shouldTellNothingAnyMoreAfterAStop() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");
        StoreInstance three = instance("three");
        one.granted(NAME, "a");
        two.joins(NAME, "b");
        two.close();
        int missed = two.heard().missed();
        one.granted("last", "a");
        three.joins("last", "b");

        one.releases(NAME, "a");
        one.releases("last", "a");
        soon().until(() -> three.heard().handedOver().contains("last"));

        assertThat(two.heard().handedOver()).isEmpty();
        assertThat(two.heard().missed()).isEqualTo(missed);
    }

    @Test
    void shouldStartAgain() {
        LockStore store = newStore();
        StoreInstance before = instance("before", store);
        before.close();
        StoreInstance after = instance("after", store);
        StoreInstance one = instance("one");
        one.granted(NAME, "a");
        after.joins(NAME, "b");

        one.releases(NAME, "a");

        soon().until(() -> after.heard().handedOver().contains(NAME));
        assertThat(before.heard().handedOver()).isEmpty();
    }
}
