package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis has reached its {@code maxmemory} and evicts nothing. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class FullRedisTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance instance;

    private Lease held;

    FullRedisTest(FaultProxy proxy, RedisCli redis) {
        this.redis = redis;
        this.instance = this.instances.at(proxy, Setup::calm);
    }

    @BeforeEach
    void fill() throws InterruptedException {
        this.held = this.instance.registry().acquire(LockRequest.of("held"));
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFailNewAcquisitionsCleanly(boolean scriptsAreKnown) {
        if (scriptsAreKnown) {
            Script.loadAll(this.redis);
        } else {
            this.redis.command("SCRIPT", "FLUSH");
        }
        LeaseLock lock = this.instance.lock("new");

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure).hasMessageContaining("OOM").hasMessageContaining("'new'");
        assertThat(failure.isOutcomeUnknown()).as("Redis refused").isFalse();
        assertThat(failure.isTransient()).as("may pass").isTrue();
        assertThat(this.redis.exists("lock:{new}")).isFalse();
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void shouldGrantTheLockToAWaiterWhenThereIsRoomAgain() throws Exception {
        Call<Boolean> waiter = Call.start(() -> this.instance.lock("new").tryLock(LIMIT));
        waiter.awaitParked();
        long since = System.nanoTime();
        soon().until(() -> System.nanoTime() - since > 300_000_000);
        assertThat(waiter.isDone()).isFalse();

        this.redis.command("CONFIG", "SET", "maxmemory", "0");

        assertThat(waiter.result()).isTrue();
    }

    @Test
    void shouldRenewAndReleaseWhatIsHeld() {
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > renewed + 3);
        assertThat(this.held.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockAtRiskEvent.class)).isZero();

        assertThat(this.held.release()).isTrue();

        assertThat(this.redis.exists("lock:{held}")).isFalse();
    }
}
