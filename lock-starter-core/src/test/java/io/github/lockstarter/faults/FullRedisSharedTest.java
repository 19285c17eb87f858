package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis has reached its {@code maxmemory}, and the lock has readers or holders of permits. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class FullRedisSharedTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance instance;

    private final Instance other;

    FullRedisSharedTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        // No reader joins the grant of another one, so that each of them is in the line.
        this.instance = this.instances.at(server, setup -> setup.calm().withoutHandOff());
        this.other = this.instances.at(server, setup -> setup.calm().withoutHandOff());
        Script.loadAll(redis);
    }

    private void fill() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
    }

    @ParameterizedTest
    @EnumSource
    void shouldRenewReleaseAndGrantToThoseWhoWait(SharedGrants kind) throws Exception {
        Lease first = this.instance.registry().acquire(kind.request());
        Lease second = this.other.registry().acquire(kind.request());
        CompletableFuture<Lease> alone = this.other.registry().acquireAsync(kind.alone());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 1);
        CompletableFuture<Lease> behind = this.instance.registry().acquireAsync(kind.request());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 2);

        fill();

        awaitRenewals(this.instance);
        awaitRenewals(this.other);
        assertThat(first.release()).isTrue();
        assertThat(second.release()).isTrue();
        assertThat(SharedGrants.get(alone).release()).isTrue();
        assertThat(SharedGrants.get(behind).release()).isTrue();
        assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
        assertThat(this.instance.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(this.other.events().count(LockAtRiskEvent.class)).isZero();
    }

    private static void awaitRenewals(Instance instance) {
        long renewed = instance.events().count(LockRenewedEvent.class, SharedGrants.NAME);
        soon().until(() -> instance.events().count(LockRenewedEvent.class, SharedGrants.NAME) > renewed + 1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailNewAcquisitionsCleanly(SharedGrants kind) throws Exception {
        Lease held = this.instance.registry().acquire(kind.request());
        fill();

        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class,
                () -> this.other.registry().tryAcquire(kind.request().withWaitTime(Duration.ZERO)));

        assertThat(failure).hasMessageContaining("OOM").hasMessageContaining(SharedGrants.NAME);
        assertThat(failure.isOutcomeUnknown()).as("Redis refused").isFalse();
        assertThat(SharedGrants.holders(this.redis)).hasSize(1);
        assertThat(held.release()).isTrue();
        assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
    }

    @Test
    void shouldDowngrade() throws Exception {
        LeaseReadWriteLock lock = this.instance.registry().getReadWriteLock(SharedGrants.NAME);
        lock.writeLock().lock();
        CompletableFuture<Lease> waiting = this.other.registry().acquireAsync(SharedGrants.READERS.request());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 1);
        fill();

        lock.readLock().lock();
        lock.writeLock().unlock();

        assertThat(SharedGrants.get(waiting).isHeld()).isTrue();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        assertThat(SharedGrants.get(waiting).release()).isTrue();
    }
}
