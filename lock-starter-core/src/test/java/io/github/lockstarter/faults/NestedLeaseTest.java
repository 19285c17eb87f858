package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A nested hold can lengthen a lease in Redis, and nothing shortens it. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class NestedLeaseTest {

    private static final String KEY = "lock:{nested}";

    /** Between setting a time to live and reading it. */
    private static final long READ = 1_500;

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance instance;

    private final LeaseLock lock;

    NestedLeaseTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.instance = this.instances.at(
                proxy, setup -> setup.lease(Duration.ofSeconds(3)).commandTimeout(Duration.ofMillis(800)));
        this.lock = this.instance.lock("nested");
        Script.loadAll(redis);
        proxy.forgetCommands();
    }

    @Test
    void shouldNotBeShortenedByAShorterHold() {
        this.lock.lock(Duration.ofSeconds(10));
        this.lock.lock(Duration.ofMillis(500));

        assertThat(this.redis.pttl(KEY)).isGreaterThan(10_000 - READ);
        this.lock.unlock();
        assertThat(this.redis.pttl(KEY)).isGreaterThan(10_000 - READ);
        assertThat(this.proxy.commandsSeen(command -> true))
                .as("costs no command")
                .isEqualTo(1);
        this.lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldGoOnBeingRenewedUnderAShortHold() {
        this.lock.lock();
        this.lock.lock(Duration.ofMillis(100));

        assertThat(this.redis.pttl(KEY)).isGreaterThan(3_000 - READ);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 0);
        assertThat(this.lock.currentLease().state()).isEqualTo(State.HELD);
        this.lock.unlock();
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 1);
        this.lock.unlock();
    }

    @Test
    void shouldBeLengthenedByALongerHold() {
        this.lock.lock(Duration.ofSeconds(2));
        this.lock.lock(Duration.ofSeconds(10));

        assertThat(this.redis.pttl(KEY)).isBetween(10_000 - READ, 10_000L);
        assertThat(this.lock.currentLease().remaining().toMillis()).isBetween(9_000 - READ, 9_000L);
        this.lock.unlock();
        assertThat(this.redis.pttl(KEY))
                .as("the end of a hold takes nothing away")
                .isGreaterThan(10_000 - READ);
    }

    @Test
    void shouldNotBeShortenedByARenewal() {
        this.lock.lock();
        this.lock.lock(Duration.ofSeconds(20));

        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 2);
        assertThat(this.redis.pttl(KEY)).isGreaterThan(14_000);
        assertThat(this.lock.currentLease().remaining().toMillis()).isGreaterThan(12_000);
    }

    @Test
    void shouldBeRenewedForAsLongAsARenewedHoldLasts() throws Exception {
        this.lock.lock(Duration.ofMillis(600));
        long token = this.lock.currentLease().fencingToken();
        this.lock.lock();
        assertThat(this.redis.pttl(KEY)).isGreaterThan(3_000 - READ);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > 1);
        assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(token));

        this.lock.unlock();

        assertThat(this.lock.currentLease().isHeld()).isTrue();
        within(Duration.ofSeconds(5)).until(() -> !this.redis.exists(KEY));
        LockLostException loss = catchThrowableOfType(LockLostException.class, this.lock::unlock);
        assertThat(loss.reason()).isEqualTo(LossReason.EXPIRED);
    }

    @Test
    void shouldStayAsItIsIfItCannotBeLengthened() {
        this.lock.lock(Duration.ofSeconds(5));
        this.proxy.swallowRequestOf(Script.RENEW, () -> {});

        Throwable failure = catchThrowable(() -> this.lock.lock(Duration.ofSeconds(20)));

        assertThat(failure).isInstanceOf(LockStoreException.class);
        assertThat(this.lock.getHoldCount()).isEqualTo(1);
        assertThat(this.lock.currentLease().state()).isEqualTo(State.HELD);
        assertThat(this.redis.pttl(KEY)).isBetween(1L, 5_000L);
        this.lock.unlock();
        soon().until(() -> !this.redis.exists(KEY));
    }
}
