package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.ServerClock;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock is set by which Redis lets keys expire, and from which it makes tokens. */
@Tag("redis")
class ServerClockTest {

    private static final String KEY = "lock:{timed}";

    @AutoClose
    private static ServerClock clock;

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final RedisCli redis = clock.server().cli();

    private Instance instance;

    private Instance other;

    @BeforeAll
    static void startServer(@TempDir Path directory) throws IOException {
        clock = ServerClock.start(directory);
    }

    @BeforeEach
    void setRight() {
        clock.shift(Duration.ZERO);
        this.redis.flushall();
        this.instance = this.instances.at(clock.server(), Setup::calm);
        this.other = this.instances.at(clock.server(), Setup::calm);
    }

    /** Leases of twelve seconds have a margin of more than one. */
    @Test
    void shouldNotMindAStepWithinTheMargin() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("timed"));

        clock.shift(Duration.ofSeconds(1));

        assertThat(this.other.lock("timed").tryLock()).isFalse();
        this.instance.awaitRenewals(3);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
    }

    /** Exclusion is not guaranteed then. */
    @Test
    void shouldNotifyTheOwnerAtItsNextRenewalAfterALargeStepForward() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("timed"));
        clock.shift(Duration.ofMinutes(1));

        Lease successor = this.other.registry().acquire(LockRequest.of("timed").withWaitTime(LIMIT));

        assertThat(successor.fencingToken()).as("in order all the same").isGreaterThan(lease.fencingToken());
        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isIn(LossReason.TAKEN_OVER, LossReason.DELETED);
        assertThat(lease.release()).isFalse();
        assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(successor.fencingToken()));
        assertThat(successor.release()).isTrue();
    }
}
