package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gives up in the very moment in which it is granted the lock passes it on: nobody waits for a lease to run out. */
@RedisTest
class LeavingAtTheGrantTest {

    private static final String KEY = "lock:{crossed}";

    /** Nothing runs out and nobody looks by itself in the time of a test. */
    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance owner;

    private final Instance leaving;

    private final Instance staying;

    LeavingAtTheGrantTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
        this.owner = this.instances.at(server, LeavingAtTheGrantTest::patient);
        this.leaving = this.instances.at(proxy, LeavingAtTheGrantTest::patient);
        this.staying = this.instances.at(server, LeavingAtTheGrantTest::patient);
        this.owner.lock("crossed").lock();
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(LONG).commandTimeout(Duration.ofSeconds(5));
    }

    private Leaver joinFirst(Leaving how) {
        Leaver leaver = how.join(this.leaving, "crossed");
        WaitingLine.awaitLength(this.redis, KEY, 1);
        return leaver;
    }

    private Call<Boolean> joinSecond() {
        Call<Boolean> next = Call.start(
                () -> this.staying.registry().execute(LockRequest.of("crossed").withWaitTime(LONG), lease -> true));
        WaitingLine.awaitLength(this.redis, KEY, 2);
        return next;
    }

    @ParameterizedTest
    @EnumSource
    void shouldPassOnWhatWasGrantedWhileTheLeaveWasOnItsWay(Leaving how) throws Exception {
        Leaver leaver = joinFirst(how);
        Call<Boolean> next = joinSecond();
        try (Hold leave = this.proxy.hold(Script.RELEASE.of(KEY))) {
            assertThat(leaver.leave()).isInstanceOf(how.failure());
            leave.awaitReached(LIMIT);
            this.owner.lock("crossed").unlock();
            assertThat(WaitingLine.of(this.redis, KEY))
                    .as("granted to who leaves")
                    .hasSize(1);
        }

        assertThat(next.result()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
    }

    @ParameterizedTest
    @EnumSource(names = "TIMEOUT", mode = EnumSource.Mode.EXCLUDE)
    void shouldPassOnWhatIsClaimedInThatMoment(Leaving how) throws Exception {
        Leaver leaver = joinFirst(how);
        Call<Boolean> next = joinSecond();
        Throwable failure;
        try (Hold claim = this.proxy.hold(Script.ACQUIRE.of(KEY))) {
            // The key alone, as for several grants to one inbox, is a hint that an acquire follows.
            for (Object inbox : (List<?>) this.redis.command("PUBSUB", "CHANNELS", Channel.INBOXES + "*")) {
                this.redis.command("PUBLISH", inbox.toString(), KEY);
            }
            claim.awaitReached(LIMIT);
            failure = leaver.leave();
            this.owner.lock("crossed").unlock();
        }

        assertThat(failure).isInstanceOf(how.failure());
        assertThat(next.result()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        soon().until(() -> this.leaving.active() == 0);
    }
}
