package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What instances find out about each other, whatever the store. */
abstract class InstancesContract extends TwoInstances {

    static final LockHolder BILLING =
            new LockHolder("0123456789a", "billing", "host-7", 4711L, Instant.ofEpochMilli(1_700_000_000_123L));

    @Test
    void shouldFindWhatAnotherInstanceHasPublished() {
        StoreInstance one = instance("one");
        StoreInstance two = instance("two");

        publish(one, BILLING, 60_000);

        assertThat(find(two, BILLING.instance())).contains(BILLING);
        assertThat(find(one, BILLING.instance())).contains(BILLING);
        assertThat(find(two, "zzzzzzzzzzz")).isEmpty();
    }

    @Test
    void shouldForgetWhatIsNotPublishedAgain() {
        StoreInstance one = instance("one");
        publish(one, BILLING, 200);

        soon().until(() -> find(one, BILLING.instance()).isEmpty());
        publish(one, BILLING, 60_000);

        assertThat(find(one, BILLING.instance())).contains(BILLING);
    }

    @Test
    void shouldProlongWhatIsPublishedAgain() {
        StoreInstance one = instance("one");
        publish(one, BILLING, 500);
        publish(one, BILLING, 60_000);
        LockHolder other = new LockHolder("abcdefghijk", "shop", "host-8", 1L, Instant.EPOCH);
        publish(one, other, 500);

        soon().until(() -> find(one, other.instance()).isEmpty());

        assertThat(find(one, BILLING.instance())).contains(BILLING);
    }

    static void publish(StoreInstance instance, LockHolder holder, long ttlMillis) {
        instance.store()
                .publishInstance(holder, ttlMillis)
                .toCompletableFuture()
                .join();
    }

    static Optional<LockHolder> find(StoreInstance instance, String id) {
        return instance.store().findInstance(id).toCompletableFuture().join();
    }
}
