package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key of a lock is deleted, overwritten, or was never one: that costs this lock, and no other. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
@Timeout(180)
class DamagedKeyTest extends FaultFixture {

    private static final int LOCKS = 100;

    private static final String BAD = "lock:{many:37}";

    private static final String KEY = "lock:{damaged}";

    private Instance instance;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.server, Setup::calm);
    }

    /** Data of another type, or of another owner. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "return redis.call('SET', KEYS[1], 'mine')",
                "redis.call('DEL', KEYS[1]); return redis.call('LPUSH', KEYS[1], 'mine')",
                "return redis.call('HSET', KEYS[1], 'o', 'another')"
            })
    void shouldLoseTheLockWhoseKeyIsOverwrittenAndNoOther(String overwrite) throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            leases.add(this.instance.acquire("many:" + i));
        }
        this.redis.command("EVAL", overwrite, "1", BAD);
        String data = String.valueOf(this.redis.command("DUMP", BAD));

        Lease bad = leases.get(37);
        soon().until(() -> bad.state() == State.LOST);
        assertThat(get(bad.lost())).isEqualTo(LossReason.TAKEN_OVER);
        this.instance.awaitRenewals(2 * (LOCKS - 1));
        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::lockName, LockLostEvent::reason)
                .containsExactly(tuple("many:37", LossReason.TAKEN_OVER));
        assertThat(this.instance.events().count(LockAtRiskEvent.class))
                .as("renewed on time")
                .isZero();
        assertThat(leases).filteredOn(lease -> lease != bad).allMatch(lease -> lease.state() == State.HELD);
        leases.forEach(Lease::close);
        assertThat(this.redis.keys()).as("all but that one").hasSize(1);
        assertThat(String.valueOf(this.redis.command("DUMP", BAD)))
                .as("it is not ours")
                .isEqualTo(data);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET %s theirs",
                "RPUSH %s theirs",
                "SADD %s theirs",
                "ZADD %s 1 theirs",
                "XADD %s 1-1 data theirs",
                "HSET %s data theirs"
            })
    void shouldTouchNoDataOfOthersAndNotWaitForIt(String command) {
        this.redis.command(command.formatted(KEY).split(" "));
        Object before = this.redis.command("DUMP", KEY);
        LeaseLock lock = this.instance.lock("damaged");
        long askedAt = System.nanoTime();

        for (ThrowingCallable call :
                List.<ThrowingCallable>of(lock::tryLock, () -> lock.tryLock(Duration.ofMinutes(1)), lock::lock)) {
            LockStoreException failure = catchThrowableOfType(LockStoreException.class, call);
            assertThat(failure).hasMessageContainingAll("'damaged'", "belongs to something else", "key-prefix");
            assertThat(failure.isOutcomeUnknown()).isFalse();
            assertThat(failure.isTransient()).isFalse();
        }

        assertThat(since(askedAt)).isLessThan(Duration.ofSeconds(5));
        assertThat(this.redis.command("DUMP", KEY)).isEqualTo(before);
        assertThat(this.redis.pttl(KEY)).as("it still does not expire").isEqualTo(-1);
    }

    enum Disappearance {
        DELETED,
        FLUSHED,
        /** Everything else has no time to live, as the data of most applications that also use Redis for locks. */
        EVICTED;

        void happen(RedisCli redis) {
            switch (this) {
                case DELETED -> redis.command("DEL", KEY);
                case FLUSHED -> redis.flushall();
                case EVICTED -> evict(redis);
            }
        }

        private static void evict(RedisCli redis) {
            redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
            redis.command("CONFIG", "SET", "maxmemory", "6mb");
            for (int i = 0; redis.exists(KEY); i++) {
                try {
                    redis.command("SET", "filler:" + i, "x".repeat(50_000));
                } catch (RedisErrorException ex) {
                    assertThat(ex).as("nothing is left to evict").hasMessageStartingWith("OOM");
                }
            }
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotifyTheOwnerAndNotBeCreatedAgain(Disappearance disappearance) throws Exception {
        Lease lease = this.instance.acquire("damaged");
        disappearance.happen(this.redis);

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.DELETED);

        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(lease.release()).isFalse();
        assertThat(this.redis.exists(KEY)).isFalse();
        soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
        Lease next = this.instance.registry().acquire(LockRequest.of("damaged"));
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(next.release()).isTrue();
    }
}
