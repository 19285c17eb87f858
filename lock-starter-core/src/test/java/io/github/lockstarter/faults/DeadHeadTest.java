package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The first in line is a process that is dead or stands still: the others wait for its claim at most. */
@RedisTest
class DeadHeadTest {

    private static final String KEY = "lock:{headed}";

    private static final Duration LEASE = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofSeconds(3);

    /** Twice the poll interval. */
    private static final Duration CLAIM = POLL.multipliedBy(2);

    private static final Duration START = Duration.ofSeconds(30);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance owner;

    private final Instance waiting;

    @AutoClose
    private final WorkerJvm head;

    private final Call<Long> next;

    DeadHeadTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.owner = this.instances.at(server, DeadHeadTest::patient);
        this.waiting = this.instances.at(server, DeadHeadTest::patient);
        this.owner.lock("headed").lock();
        this.head = WorkerJvm.start(
                LockWorker.class,
                Integer.toString(server.port()),
                "headed",
                Long.toString(LEASE.toMillis()),
                Long.toString(POLL.toMillis()));
        within(START).until(() -> WaitingLine.of(this.redis, KEY).size() == 1);
        this.next = Call.start(() -> this.waiting
                .registry()
                .execute(LockRequest.of("headed").withWaitTime(LEASE), lease -> System.nanoTime()));
        WaitingLine.awaitLength(this.redis, KEY, 2);
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LEASE).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    @Test
    void shouldSkipAProcessThatIsGone() throws Exception {
        this.head.kill();
        long releasedAt = System.nanoTime();

        this.owner.lock("headed").unlock();

        assertThat(Duration.ofNanos(this.next.result() - releasedAt))
                .as("nobody reads its inbox")
                .isLessThan(POLL);
    }

    @Test
    void shouldWaitForTheClaimOfAProcessThatStandsStill() throws Exception {
        this.head.pause();
        long releasedAt = System.nanoTime();

        this.owner.lock("headed").unlock();

        assertThat(this.redis.pttl(KEY)).isLessThanOrEqualTo(CLAIM.toMillis());
        assertThat(Duration.ofNanos(this.next.result() - releasedAt)).isBetween(POLL, CLAIM.plusSeconds(2));
        this.head.resume();
        assertThat(this.head.awaitLine(line -> line.startsWith("held "), START))
                .as("it has lost its turn, not its wait")
                .isNotNull();
        this.head.send("release");
        assertThat(this.head.awaitLine(line -> line.startsWith("release "), START))
                .isEqualTo("release true");
    }
}
