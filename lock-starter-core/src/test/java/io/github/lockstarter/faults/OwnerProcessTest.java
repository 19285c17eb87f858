package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The process that owns a lock is killed, or stands still for a while. */
@RedisTest
class OwnerProcessTest {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final Duration START = Duration.ofSeconds(60);

    private static final String KEY = "lock:{job}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final Instance instance;

    @AutoClose
    private final WorkerJvm owner;

    private final long ownersToken;

    OwnerProcessTest(RedisServer server, RedisCli redis) throws InterruptedException {
        this.server = server;
        this.redis = redis;
        this.instance = this.instances.at(server, setup -> setup.lease(LEASE));
        this.owner = WorkerJvm.start(
                LockWorker.class, Integer.toString(server.port()), "job", Long.toString(LEASE.toMillis()));
        this.ownersToken = Long.parseLong(
                this.owner.awaitLine(line -> line.startsWith("held "), START).substring("held ".length()));
    }

    @Test
    void shouldGiveTheLockOfAKilledProcessToTheNextWhenItsLeaseIsOver() throws Exception {
        Call<Lease> waiter = Call.start(() -> this.instance.registry().acquire(LockRequest.of("job")));
        // renewed as long as it lives
        within(LEASE.multipliedBy(3)).until(() -> this.redis.pttl(KEY) < LEASE.toMillis() * 7 / 10);
        within(LEASE).until(() -> this.redis.pttl(KEY) > LEASE.toMillis() * 9 / 10);
        assertThat(waiter.isDone()).isFalse();

        this.owner.kill();
        long killedAt = System.nanoTime();

        Lease lease = waiter.result();
        assertThat(Duration.ofNanos(System.nanoTime() - killedAt)).isLessThan(LEASE.plusSeconds(1));
        assertThat(lease.fencingToken()).isGreaterThan(this.ownersToken);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldLoseNothingWhenItStandsStillForLessThanItsLease() throws Exception {
        Duration lease = Duration.ofSeconds(6);
        try (WorkerJvm patient = WorkerJvm.start(
                LockWorker.class, Integer.toString(this.server.port()), "moment", Long.toString(lease.toMillis()))) {
            patient.awaitLine(line -> line.startsWith("held "), START);
            String key = "lock:{moment}";
            patient.pause();
            // past the moment at which it would have renewed
            within(lease).until(() -> this.redis.pttl(key) < lease.toMillis() / 2);
            patient.resume();

            within(lease).until(() -> this.redis.pttl(key) > lease.toMillis() * 9 / 10);
            patient.send("state");
            patient.send("release");
            assertThat(patient.awaitLine(line -> line.startsWith("state "), START))
                    .isEqualTo("state HELD");
            assertThat(patient.awaitLine(line -> line.startsWith("release "), START))
                    .isEqualTo("release true");
        }
    }

    @Test
    void shouldTellAProcessThatStoodStillThatItsLockIsLost() throws Exception {
        this.owner.pause();
        Lease lease = this.instance.registry().acquire(LockRequest.of("job"));
        assertThat(lease.fencingToken()).isGreaterThan(this.ownersToken);
        String id = this.redis.hgetall(KEY).get("o");

        this.owner.send("state");
        this.owner.send("ensure");
        this.owner.send("release");
        this.owner.resume();

        assertThat(this.owner.awaitLine(line -> line.startsWith("state "), START))
                .as("at its first look")
                .isEqualTo("state LOST");
        assertThat(this.owner.awaitLine(line -> line.startsWith("ensure "), START))
                .isEqualTo("ensure EXPIRED");
        assertThat(this.owner.awaitLine(line -> line.startsWith("release "), START))
                .isEqualTo("release false");
        // the owner's connections are alive: what it might still want to send, it can
        long pttl = this.redis.pttl(KEY);
        soon().until(() -> this.redis.pttl(KEY) > pttl);
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", id);
        assertThat(lease.release()).as("nobody deleted it").isTrue();
    }
}
