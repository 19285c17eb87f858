package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Locks with well-known mistakes, and the fault that shows each of them: the checker finds what is wrong. */
@RedisTest
class NegativeControlTest {

    private static final Duration LEASE = Duration.ofMillis(500);

    private static final Duration LONG = Duration.ofSeconds(5);

    private static final Limits LIMITS =
            Limits.of(LEASE, Duration.ofMillis(50), Duration.ofMillis(20), Duration.ofMillis(100));

    @AutoClose
    private final Scene scene;

    private final RedisServer server;

    private final RedisCli redis;

    private final FaultProxy network;

    NegativeControlTest(RedisServer server, RedisCli redis, FaultProxy network) {
        this.scene = new Scene(LIMITS);
        this.server = server;
        this.redis = redis;
        this.network = network;
    }

    @Test
    void shouldFindALockThatIsNotRenewed() throws Exception {
        Contender one = this.scene.contender("one", BrokenLocks.withoutRenewal(this.redis, LEASE));
        Contender two = this.scene.contender("two", BrokenLocks.withoutRenewal(this.redis, LEASE));

        Visit first = one.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow();
        Visit second = two.tryAcquire(Scene.job(LONG)).orElseThrow();
        second.stay(Duration.ofMillis(300));
        second.release();
        first.look();

        assertThat(this.scene.violations())
                .anyMatch(violation -> violation.startsWith("belief: Two owners of 'job'"))
                .anyMatch(violation -> violation.startsWith("notice: ") && violation.contains("was never told"));
    }

    @Test
    void shouldFindALeaseThatIsCountedFromTheReply() throws Exception {
        assertThat(violationsOfASlowReply(BrokenLocks::countingFromTheReply))
                .anyMatch(violation -> violation.startsWith("belief: Two owners of 'job'"));
    }

    @Test
    void shouldFindNothingIfTheLeaseIsCountedFromTheRequest() throws Exception {
        assertThat(violationsOfASlowReply(BrokenLocks::countingFromTheRequest))
                .noneMatch(violation -> violation.startsWith("belief"));
    }

    private interface Maker {

        LockSource make(RedisCli redis, Duration lease);
    }

    private List<String> violationsOfASlowReply(Maker maker) throws Exception {
        try (RedisCli farAway = RedisCli.connect(this.network.port())) {
            farAway.command("PING");
            Contender one = this.scene.contender("one", maker.make(farAway, LEASE));
            Contender two = this.scene.contender("two", maker.make(this.redis, LEASE));
            this.network.delay(Duration.ZERO, LEASE.multipliedBy(2).dividedBy(5));
            assertThat(one.tryAcquire(Scene.job(Duration.ZERO))).isPresent();
            this.network.heal();
            assertThat(two.tryAcquire(Scene.job(LONG))).isPresent();
        }
        return this.scene.violations();
    }

    @Test
    void shouldFindAReleaseThatDeletesTheLockOfAnother() throws Exception {
        Contender one = this.scene.contender("one", BrokenLocks.releasingByDelete(this.redis, LEASE));
        Contender two = this.scene.contender("two", BrokenLocks.releasingByDelete(this.redis, LEASE));
        Contender three = this.scene.contender("three", BrokenLocks.releasingByDelete(this.redis, LEASE));

        Visit first = one.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow();
        assertThat(two.tryAcquire(Scene.job(LONG))).isPresent();
        first.look();
        first.release();
        assertThat(three.tryAcquire(Scene.job(Duration.ZERO))).isPresent();

        assertThat(this.scene.violations())
                .singleElement()
                .asString()
                .startsWith("belief: Two owners of 'job': two/1")
                .contains("three/1");
    }

    @Test
    void shouldFindAHoldThatWasCountedTwice() throws Exception {
        Contender one = this.scene.contender(
                "one", BrokenLocks.countingHolds(command -> repeatedly(command), Duration.ofMinutes(1)));
        Contender two = this.scene.contender(
                "two",
                BrokenLocks.countingHolds(
                        command -> this.redis.command(command.toArray(new String[0])), Duration.ofMinutes(1)));
        this.network.swallowReplyOf(Commands.named("eval"), this.network::cutFin);

        one.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow().release();
        Pause.of(Duration.ofNanos(LIMITS.tail() + LIMITS.slack()));
        assertThat(two.tryAcquire(Scene.job(Duration.ofMillis(900)))).isEmpty();

        assertThat(this.scene.violations())
                .anyMatch(violation -> violation.startsWith("honesty: Told that somebody else had 'job'"))
                .anyMatch(violation -> violation.startsWith("waiting: Nobody had 'job'"));
    }

    /** As clients do that repeat a command when the connection ends before its reply. */
    private Object repeatedly(List<String> command) {
        while (true) {
            try (RedisCli redis = RedisCli.connect(this.network.port())) {
                return redis.command(command.toArray(new String[0]));
            } catch (UncheckedIOException ex) {
                // once more
            }
        }
    }

    @Test
    void shouldFindTokensThatBeginAnewWithRedis() throws Exception {
        Contender one = this.scene.contender("one", BrokenLocks.countingFromTheRequest(this.redis, LEASE));
        one.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow().release();
        one.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow().release();

        this.server.restart();

        try (RedisCli again = this.server.cli()) {
            Contender two = this.scene.contender("two", BrokenLocks.countingFromTheRequest(again, LEASE));
            two.tryAcquire(Scene.job(Duration.ZERO)).orElseThrow().release();
        }
        assertThat(this.scene.violations())
                .anyMatch(violation -> violation.startsWith("tokens: The same token of 'job' for two"))
                .anyMatch(violation -> violation.startsWith("tokens: A token of 'job' is smaller than one before"));
    }
}
