package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One of several holders is cut off from Redis for good, while the others go on. */
@RedisTest
class SharedCrashTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance dying;

    SharedCrashTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        this.dying = this.instances.at(proxy, setup -> setup.lease(LEASE).commandTimeout(Duration.ofMillis(250)));
    }

    /** Has long leases, so that a time to live for all would last for as long. */
    private Instance lasting() {
        return this.instances.at(this.server, Setup::calm);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndItsLeaseAlthoughOthersGoOn(SharedGrants kind) throws Exception {
        Instance alive = lasting();
        Instance waiting = this.instances.at(this.server, setup -> setup.calm().withoutPolling());
        Lease dead = this.dying.registry().acquire(kind.request());
        String id = SharedGrants.holders(this.redis).get(0);
        Lease lease = alive.registry().acquire(kind.request());
        CompletableFuture<Lease> next = waiting.registry().acquireAsync(kind.alone());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 1);

        this.proxy.blackHole();
        soon().until(() -> !dead.isHeld());
        awaitEndOf(id);
        assertThat(next).isNotDone();
        assertThat(lease.isHeld()).isTrue();
        long releasedAt = System.nanoTime();
        assertThat(lease.release()).isTrue();

        assertThat(SharedGrants.get(next).fencingToken()).isGreaterThan(dead.fencingToken());
        assertThat(Duration.ofNanos(System.nanoTime() - releasedAt))
                .as("it does not wait for the dead one again")
                .isLessThan(Duration.ofSeconds(5));
        assertThat(SharedGrants.get(next).release()).isTrue();
    }

    /** The field stays until a command looks. */
    private void awaitEndOf(String id) {
        String[] holder = this.redis.hgetall(SharedGrants.KEY).get(id).split(":", -1);
        soon().until(() -> System.currentTimeMillis() > Long.parseLong(holder[0]));
    }

    /** It stands before a reader, which would fit beside the present one. */
    @ParameterizedTest
    @EnumSource
    void shouldSkipTheFirstInTheLineWhenItIsDead(SharedGrants kind) throws Exception {
        Instance alive = lasting();
        Lease lease = alive.registry().acquire(kind.request());
        CompletableFuture<Lease> dead = this.dying.registry().acquireAsync(kind.alone());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 1);
        Instance other = lasting();
        CompletableFuture<Lease> behind = other.registry().acquireAsync(kind.request());
        WaitingLine.awaitLength(this.redis, SharedGrants.KEY, 2);

        this.proxy.blackHole();
        long diedAt = System.nanoTime();

        assertThat(SharedGrants.get(behind).isHeld()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - diedAt))
                .as("three poll intervals")
                .isLessThan(Duration.ofSeconds(5));
        assertThat(lease.isHeld()).isTrue();
        assertThat(dead).isNotDone();
        lease.release();
        SharedGrants.get(behind).release();
        assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
    }
}
