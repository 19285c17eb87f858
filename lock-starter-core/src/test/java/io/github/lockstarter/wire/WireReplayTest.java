package io.github.lockstarter.wire;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.OneRenewal;
import io.github.lockstarter.store.ReleaseReply.Outcome;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A command that one version has executed is repeated by the other, as if both were the same. */
@RedisTest
class WireReplayTest {

    private static final String NAME = "orders:42";

    private static final long LEASE = PreviousInstance.LEASE;

    private final LettuceConnectionFactory connections;

    private final RedisLockStore present;

    private final PreviousInstance previous;

    private final WaitingListener listener = new WaitingListener() {

        @Override
        public void handedOver(String lockName) {
            // waits for nothing
        }

        @Override
        public void missedSome() {
            // as above
        }
    };

    WireReplayTest(RedisServer server) {
        this.connections = Servers.of(server);
        this.connections.afterPropertiesSet();
        this.connections.start();
        this.present = new RedisLockStore(
                this.connections, new RedisStoreSettings("lock", Duration.ofSeconds(10), true, Duration.ofSeconds(30)));
        this.present.start("present", this.listener);
        this.previous = new PreviousInstance(server, "previous");
        soon().ignoreExceptions().until(() -> !this.present.isLocked(NAME));
    }

    @AfterEach
    void stop() {
        this.previous.close();
        this.present.stop(this.listener);
        this.connections.destroy();
    }

    @Test
    void shouldGrantTheSameTokenAgain() {
        long old = this.previous.acquire(NAME, "a");
        assertThat(acquired("a")).isEqualTo(old);
        assertThat(this.previous.release(NAME, "a")).isEqualTo(1);

        long token = acquired("b");
        assertThat(this.previous.acquire(NAME, "b")).isEqualTo(token).isGreaterThan(old);
    }

    @Test
    void shouldStandInLineOnce() {
        this.previous.acquire(NAME, "owner");
        this.previous.join(NAME, "a");
        this.present.prepareWaiting();
        soon().until(() -> {
            this.present.acquire(NAME, "b", LEASE, true);
            return this.previous.lineLength(NAME) == 2;
        });

        this.present.acquire(NAME, "a", LEASE, true);
        this.previous.join(NAME, "b");

        assertThat(this.previous.lineLength(NAME)).isEqualTo(2);
        assertThat(this.previous.release(NAME, "b")).isEqualTo(3);
        assertThat(this.present.release(NAME, "a", 0, null).outcome()).isEqualTo(Outcome.LEFT);
        assertThat(this.previous.lineLength(NAME)).isZero();
    }

    @Test
    void shouldFindTheLockReleased() {
        this.previous.acquire(NAME, "a");
        this.previous.release(NAME, "a");
        assertThat(this.present.release(NAME, "a", 0, null).outcome()).isEqualTo(Outcome.GONE);

        acquired("b");
        this.present.release(NAME, "b", 0, null);
        assertThat(this.previous.release(NAME, "b")).isZero();

        this.previous.acquire(NAME, "c");
        assertThat(this.present.release(NAME, "b", 0, null).outcome()).isEqualTo(Outcome.TAKEN);
    }

    @Test
    void shouldFindTheLockGrantedToTheNextWaiter() {
        this.previous.acquire(NAME, "a");
        long first = this.previous.releaseTo(NAME, "a", "b");
        assertThat(this.present.release(NAME, "a", 0, new Successor("b", LEASE)).fencingToken())
                .isEqualTo(first);

        long second =
                this.present.release(NAME, "b", 0, new Successor("c", LEASE)).fencingToken();
        assertThat(this.previous.releaseTo(NAME, "b", "c")).isEqualTo(second).isGreaterThan(first);
    }

    @Test
    void shouldFindTheNextWaiterInLine() {
        this.previous.acquire(NAME, "a");
        this.previous.join(NAME, "first");
        assertThat(this.previous.releaseTo(NAME, "a", "next")).isEqualTo(2);

        assertThat(this.present
                        .release(NAME, "a", 0, new Successor("next", LEASE))
                        .outcome())
                .isEqualTo(Outcome.QUEUED);

        assertThat(this.previous.lineLength(NAME)).isEqualTo(1);
    }

    @Test
    void shouldRenewWhatTheOtherGranted() {
        this.previous.acquire(NAME, "a");
        assertThat(OneRenewal.outcomeOf(this.present, NAME, "a", 2 * LEASE)).isEqualTo("renewed");
        assertThat(this.previous.remainingMillis(NAME)).isBetween(LEASE + 1, 2 * LEASE);
        this.previous.release(NAME, "a");
        assertThat(OneRenewal.outcomeOf(this.present, NAME, "a", LEASE)).isEqualTo("DELETED");

        this.present.acquire(NAME, "b", 10_000, false);
        assertThat(this.previous.renew(NAME, "b")).isEmpty();
        assertThat(this.previous.remainingMillis(NAME)).isBetween(10_001L, LEASE);
        assertThat(OneRenewal.outcomeOf(this.present, NAME, "a", LEASE)).isEqualTo("TAKEN_OVER");
        assertThat(this.previous.renew(NAME, "a")).isEqualTo(List.of(1L, -1L));
    }

    @Test
    void shouldEndTheMinimumHoldOnce() {
        this.previous.acquire(NAME, "a");
        assertThat(this.previous.keep(NAME, "a", LEASE / 2)).isEqualTo(1);
        assertThat(this.present.keep(NAME, "a", LEASE).outcome()).isEqualTo(Outcome.RELEASED);
        assertThat(this.previous.remainingMillis(NAME)).isBetween(1L, LEASE / 2);
        assertThat(this.present.acquire(NAME, "a", LEASE, false)).isInstanceOf(AcquireReply.Taken.class);
        assertThat(this.present.forceRelease(NAME)).isTrue();

        acquired("b");
        assertThat(this.present.keep(NAME, "b", LEASE / 2).outcome()).isEqualTo(Outcome.RELEASED);
        assertThat(this.previous.keep(NAME, "b", LEASE)).isEqualTo(1);
        assertThat(this.previous.remainingMillis(NAME)).isBetween(1L, LEASE / 2);
        assertThat(this.previous.forceUnlock(NAME)).isTrue();
    }

    @Test
    void shouldFindTokenAndTimeThatIsLeft() {
        long old = this.previous.acquire(NAME, "a");
        assertThat(this.present.find(NAME)).extracting(StoredLock::fencingToken).isEqualTo(old);
        this.previous.release(NAME, "a");

        long token = acquired("b");
        assertThat(this.previous.tokenOf(NAME)).isEqualTo(token);
        assertThat(this.previous.remainingMillis(NAME)).isBetween(1L, LEASE);
    }

    private long acquired(String id) {
        AcquireReply reply = this.present.acquire(NAME, id, LEASE, false);
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).fencingToken();
    }
}
