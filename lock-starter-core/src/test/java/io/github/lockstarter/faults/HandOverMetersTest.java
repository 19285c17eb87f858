package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the meters say of locks that go from one to the next, and of those who wait. */
@RedisTest
class HandOverMetersTest {

    private static final String KEY = "lock:{metered}";

    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private final RedisCli redis;

    private final Instance here;

    private final Instance there;

    HandOverMetersTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.here = this.instances.at(server, this::metered);
        this.there = this.instances.at(server, this::metered);
    }

    private Setup metered(Setup setup) {
        return setup.lease(LONG)
                .pollInterval(LONG)
                .commandTimeout(Duration.ofSeconds(5))
                .handOffs(64)
                .meters(new MicrometerLockListener(this.meters));
    }

    private CompletableFuture<Lease> waitAt(Instance instance) {
        return instance.registry()
                .acquireAsync(LockRequest.of("metered").withWaitTime(LONG))
                .toCompletableFuture();
    }

    private double handedOver(String kind) {
        return this.meters.find("distributed.lock.handoff").tag("kind", kind).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void shouldCountEachKind() throws Exception {
        Lease first = this.here.registry().acquire(LockRequest.of("metered"));
        CompletableFuture<Lease> neighbour = waitAt(this.here);
        CompletableFuture<Lease> stranger = waitAt(this.there);
        WaitingLine.awaitLength(this.redis, KEY, 1);
        assertThat(this.here.waiting()).isEqualTo(1);
        assertThat(this.there.waiting()).isEqualTo(1);

        first.release();
        Lease second = neighbour.get(10, TimeUnit.SECONDS);
        assertThat(handedOver("local")).isEqualTo(1);
        assertThat(handedOver("remote")).isZero();
        assertThat(this.here.waiting()).isZero();
        assertThat(this.here.active()).isEqualTo(1);

        second.release();
        Lease third = stranger.get(10, TimeUnit.SECONDS);
        assertThat(handedOver("remote")).isEqualTo(1);
        assertThat(handedOver("local")).isEqualTo(1);
        assertThat(this.there.waiting()).isZero();
        third.release();

        soon().until(() -> this.here.active() + this.there.active() == 0);
        assertThat(this.meters.get("distributed.lock.release").tag("outcome", "released").counters().stream()
                        .mapToDouble(Counter::count)
                        .sum())
                .as("each hold has one end")
                .isEqualTo(3);
    }

    @Test
    void shouldCountNothingForALockThatWasFree() throws Exception {
        this.here.registry().acquire(LockRequest.of("metered")).release();
        this.there.registry().acquire(LockRequest.of("metered")).release();

        assertThat(handedOver("local") + handedOver("remote")).isZero();
    }

    @Test
    void shouldNotShowThoseWhoHaveLeft() throws Exception {
        Lease held = this.here.registry().acquire(LockRequest.of("metered"));
        CompletableFuture<Lease> neighbour = waitAt(this.here);
        CompletableFuture<Lease> stranger = waitAt(this.there);
        WaitingLine.awaitLength(this.redis, KEY, 1);

        neighbour.cancel(true);
        stranger.cancel(true);

        soon().until(() -> this.here.waiting() + this.there.waiting() == 0);
        WaitingLine.awaitLength(this.redis, KEY, 0);
        held.release();
    }
}
