package io.github.lockstarter.wire;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.OneRenewal;
import io.github.lockstarter.store.ReleaseReply.Outcome;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.wire.PreviousInstance.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Readers and writers of the present code beside instances of earlier versions, which grant every lock exclusively. */
@RedisTest
class SharedWireTest {

    private static final String NAME = "orders:42";

    private static final long LEASE = PreviousInstance.LEASE;

    private final RedisServer server;

    private final LettuceConnectionFactory connections;

    private final RedisLockStore present;

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private final List<PreviousInstance> opened = new CopyOnWriteArrayList<>();

    private final WaitingListener listener = new WaitingListener() {

        @Override
        public void handedOver(String lockName) {
            SharedWireTest.this.heard.add(lockName);
        }

        @Override
        public void missedSome() {
            SharedWireTest.this.heard.add("missed some");
        }
    };

    SharedWireTest(RedisServer server) {
        this.server = server;
        this.connections = Servers.of(server);
        this.connections.afterPropertiesSet();
        this.connections.start();
        this.present = new RedisLockStore(
                this.connections, new RedisStoreSettings("lock", Duration.ofSeconds(10), true, Duration.ofSeconds(30)));
        this.present.start("present", this.listener);
        soon().ignoreExceptions().until(() -> !this.present.isLocked(NAME));
        this.heard.clear();
        this.present.prepareWaiting();
        soon().until(() -> this.heard.contains("missed some"));
    }

    @AfterEach
    void stop() {
        this.opened.forEach(PreviousInstance::close);
        this.present.stop(this.listener);
        this.connections.destroy();
    }

    private PreviousInstance previous(Version version) {
        PreviousInstance instance = new PreviousInstance(this.server, "previous", version);
        this.opened.add(instance);
        return instance;
    }

    @ParameterizedTest
    @EnumSource
    void shouldLetTheEarlierVersionWaitForAllReaders(Version version) {
        PreviousInstance previous = previous(version);
        acquired("a.r");
        long second = acquired("b.r");

        assertThat(-previous.join(NAME, "old")).isBetween(1L, LEASE);
        assertThat(previous.isLocked(NAME)).isTrue();
        assertThat(previous.renew(NAME, "old")).isEqualTo(List.of(1L, -1L));
        assertThat(previous.keep(NAME, "old", LEASE)).isEqualTo(-1);
        assertThat(previous.release(NAME, "other")).isEqualTo(-1);
        assertThat(granted("c.r")).as("behind the waiting one").isFalse();
        assertThat(released("a.r")).isEqualTo(Outcome.RELEASED);
        assertThat(-previous.join(NAME, "old")).as("one reader is left").isPositive();
        assertThat(released("b.r")).isEqualTo(Outcome.RELEASED);

        assertThat(previous.nextMessage()).isEqualTo(NAME);
        assertThat(previous.acquire(NAME, "old")).isGreaterThan(second);
        assertThat(owners()).containsExactly("old");
        assertThat(previous.release(NAME, "old")).isEqualTo(1);
        soon().until(() -> this.heard.contains(NAME));
        assertThat(granted("c.r")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shouldShareWhatTheEarlierVersionGrantsToTheFirstReader(Version version) {
        PreviousInstance previous = previous(version);
        long old = previous.acquire(NAME, "old");
        for (String id : List.of("a.r", "b.r", "w")) {
            assertThat(granted(id)).isFalse();
        }

        assertThat(previous.release(NAME, "old")).isEqualTo(1);

        soon().until(() -> this.heard.contains(NAME));
        assertThat(owners()).as("exclusively").containsExactly("a.r");
        long token = previous.tokenOf(NAME);
        assertThat(token).isGreaterThan(old);
        assertThat(acquired("a.r")).isEqualTo(token);
        assertThat(owners()).containsExactlyInAnyOrder("a.r", "b.r");
        assertThat(acquired("b.r")).isGreaterThan(token);
        assertThat(previous.acquire(NAME, "older")).isNegative();
        released("a.r");
        released("b.r");
        assertThat(owners()).containsExactly("w");
    }

    @ParameterizedTest
    @EnumSource
    void shouldLetReadersInAfterAnEarlierVersionHasLeftTheLine(Version version) {
        PreviousInstance previous = previous(version);
        acquired("a.r");
        previous.join(NAME, "old");
        assertThat(granted("b.r")).isFalse();

        assertThat(previous.release(NAME, "old")).isEqualTo(3);

        assertThat(granted("b.r")).as("poll").isTrue();
        assertThat(owners()).containsExactlyInAnyOrder("a.r", "b.r");
    }

    @ParameterizedTest
    @EnumSource
    void shouldIgnoreReadersAfterAnEarlierVersionHasForcedTheLockOpen(Version version) {
        PreviousInstance previous = previous(version);
        acquired("a.r");
        assertThat(granted("w")).isFalse();
        previous.join(NAME, "old");
        assertThat(granted("b.r")).isFalse();

        assertThat(previous.forceUnlock(NAME)).isTrue();

        assertThat(owners()).containsExactly("w");
        assertThat(OneRenewal.outcomeOf(this.present, NAME, "a.r", LEASE)).isEqualTo("TAKEN_OVER");
        assertThat(released("a.r")).isEqualTo(Outcome.TAKEN);
        assertThat(released("w")).isEqualTo(Outcome.RELEASED);
        assertThat(previous.nextMessage()).isEqualTo(NAME);
        assertThat(previous.acquire(NAME, "old")).isPositive();
        assertThat(previous.release(NAME, "old")).isEqualTo(1);
        acquired("b.r");
        assertThat(owners()).as("not the void one").containsExactly("b.r");
    }

    @ParameterizedTest
    @EnumSource
    void shouldForgetReadersWhenAnEarlierVersionHasFreedTheLockByForce(Version version) {
        PreviousInstance previous = previous(version);
        acquired("a.r");

        assertThat(previous.forceUnlock(NAME)).isTrue();
        long token = previous.acquire(NAME, "old");

        assertThat(token).isPositive();
        assertThat(granted("a.r")).isFalse();
        assertThat(OneRenewal.outcomeOf(this.present, NAME, "a.r", LEASE)).isEqualTo("TAKEN_OVER");
    }

    @ParameterizedTest
    @EnumSource
    void shouldForceOpenWhatTheEarlierVersionOwns(Version version) {
        PreviousInstance previous = previous(version);
        previous.acquire(NAME, "old");
        assertThat(granted("a.r")).isFalse();
        assertThat(granted("b.r")).isFalse();
        previous.join(NAME, "older");

        assertThat(this.present.forceRelease(NAME)).isTrue();

        assertThat(owners()).containsExactlyInAnyOrder("a.r", "b.r");
        assertThat(previous.renew(NAME, "old")).isEqualTo(List.of(1L, -1L));
        assertThat(previous.release(NAME, "old")).isEqualTo(-1);
        released("a.r");
        released("b.r");
        assertThat(previous.nextMessage()).isEqualTo(NAME);
        assertThat(previous.acquire(NAME, "older")).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheEarlierVersionWaitingInADowngrade(Version version) {
        PreviousInstance previous = previous(version);
        long token = acquired("w");
        previous.join(NAME, "old");
        assertThat(granted("a.r")).isFalse();

        assertThat(this.present.downgrade(NAME, "w", token, LEASE).fencingToken())
                .isEqualTo(token);

        assertThat(owners()).containsExactly("w.r");
        assertThat(previous.join(NAME, "old")).isNegative();
        assertThat(released("w.r")).isEqualTo(Outcome.RELEASED);
        assertThat(previous.nextMessage()).isEqualTo(NAME);
        assertThat(previous.acquire(NAME, "old")).isGreaterThan(token);
        previous.release(NAME, "old");
        assertThat(granted("a.r")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRespectTheMinimumHoldOfAReader(Version version) {
        PreviousInstance previous = previous(version);
        acquired("a.r");

        this.present.keep(NAME, "a.r", 300);

        assertThat(-previous.join(NAME, "old")).isBetween(1L, 300L);
        soon().until(() -> previous.acquire(NAME, "old") > 0);
        assertThat(granted("b.r")).isFalse();
    }

    private boolean granted(String id) {
        return this.present.acquire(NAME, id, LEASE, true) instanceof AcquireReply.Granted;
    }

    private long acquired(String id) {
        AcquireReply reply = this.present.acquire(NAME, id, LEASE, true);
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).fencingToken();
    }

    private Outcome released(String id) {
        return this.present.release(NAME, id, 0, null).outcome();
    }

    private List<String> owners() {
        StoredLock lock = this.present.find(NAME);
        if (lock == null) {
            return List.of();
        }
        return lock.holders().isEmpty()
                ? List.of(String.valueOf(lock.owner()))
                : lock.holders().stream().map(StoredHolder::acquisitionId).toList();
    }
}
