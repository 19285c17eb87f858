package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every store promises, kept by the one in memory. */
class InMemoryLockStoreTest {

    private static final String NAME = "orders:42";

    private static final long LONG = 60_000;

    private final InMemoryLockStore store = new InMemoryLockStore();

    private long grant(String id, long leaseMillis) {
        AcquireReply reply = this.store.acquire(NAME, id, leaseMillis, false);
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).fencingToken();
    }

    private Duration remaining() {
        AcquireReply reply = this.store.acquire(NAME, "probe", 1, false);
        assertThat(reply).isInstanceOf(AcquireReply.Taken.class);
        return Duration.ofMillis(((AcquireReply.Taken) reply).remainingMillis());
    }

    private String renew(String id, long leaseMillis) {
        List<String> outcome = new ArrayList<>();
        this.store.renew(List.of(new Renewal() {
            @Override
            public String lockName() {
                return NAME;
            }

            @Override
            public String acquisitionId() {
                return id;
            }

            @Override
            public long leaseMillis() {
                return leaseMillis;
            }

            @Override
            public void renewed() {
                outcome.add("renewed");
            }

            @Override
            public void lost(LossReason reason) {
                outcome.add(reason.name());
            }

            @Override
            public void failed(LockStoreException cause) {
                outcome.add("failed");
            }
        }));
        assertThat(outcome).hasSize(1);
        return outcome.get(0);
    }

    @Test
    void shouldGrantToOneAtATimeAndSayHowLong() {
        grant("a", LONG);

        assertThat(this.store.acquire(NAME, "b", LONG, false))
                .isInstanceOfSatisfying(
                        AcquireReply.Taken.class,
                        taken -> assertThat(taken.remainingMillis()).isBetween(LONG / 2, LONG));
        assertThat(this.store.isLocked(NAME)).isTrue();
        assertThat(this.store.isLocked("orders:43")).isFalse();
    }

    @Test
    void shouldAnswerItsOwnerAgainWithTheSameTokenAndTheFullLease() {
        long token = grant("a", 5_000);

        assertThat(grant("a", LONG)).isEqualTo(token);

        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(30));
        assertThat(grant("a", 5_000)).isEqualTo(token);
        assertThat(remaining()).as("a late attempt shortens nothing").isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void shouldGiveEachGrantALargerToken() {
        long last = 0;
        for (int grant = 0; grant < 1000; grant++) {
            long token = grant("id-" + grant, LONG);
            assertThat(token).isGreaterThan(last);
            last = token;
            assertThat(this.store.release(NAME, "id-" + grant, 0, null)).isEqualTo(ReleaseReply.RELEASED);
        }
    }

    @Test
    void shouldForgetWhatHasRunOut() {
        grant("a", 50);
        soon().until(() -> !this.store.isLocked(NAME));

        assertThat(renew("a", LONG)).isEqualTo("DELETED");
        assertThat(this.store.release(NAME, "a", 0, null)).isEqualTo(ReleaseReply.GONE);
        assertThat(this.store.forceRelease(NAME)).isFalse();
        assertThat(this.store.isLocked(NAME)).isFalse();
        grant("b", LONG);
    }

    @Test
    void shouldRenewItsOwnerAndNobodyElse() {
        grant("a", 5_000);

        assertThat(renew("b", LONG)).isEqualTo("TAKEN_OVER");
        assertThat(remaining()).isLessThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(renew("a", LONG)).isEqualTo("renewed");
        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(30));
        assertThat(renew("a", 10)).isEqualTo("renewed");
        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void shouldNotCreateWhatItShouldRenew() {
        assertThat(renew("a", LONG)).isEqualTo("DELETED");

        assertThat(this.store.isLocked(NAME)).isFalse();
    }

    @Test
    void shouldReleaseItsOwnerOnceAndNobodyElse() {
        grant("a", LONG);

        assertThat(this.store.release(NAME, "b", 0, null)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.store.release(NAME, "a", 0, null)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.store.release(NAME, "a", 0, null)).isEqualTo(ReleaseReply.GONE);
        grant("b", LONG);
        assertThat(this.store.release(NAME, "a", 0, null)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.store.isLocked(NAME)).isTrue();
    }

    @Test
    void shouldKeepGrantsOverAStop() {
        WaitingListener listener = new HeardMessages();
        this.store.start("one", listener);
        grant("a", LONG);

        this.store.stop(listener);

        assertThat(this.store.isLocked(NAME)).isTrue();
    }
}
