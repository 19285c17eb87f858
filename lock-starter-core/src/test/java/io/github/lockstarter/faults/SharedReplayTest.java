package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A command of a reader or of a holder of permits is lost, or executed twice. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class SharedReplayTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    /** Holds the lock beside the instance under test, so that the key does not end with its grants. */
    private final Instance other;

    SharedReplayTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
        this.other = this.instances.at(server, SharedReplayTest::longLease);
    }

    /** So long that a grant which is gone did not expire. */
    private static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }

    private Instance instance(boolean repeatedByTheClient) {
        return this.instances.at(
                this.proxy, setup -> repeatedByTheClient ? longLease(setup).sharedConnection() : longLease(setup));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeOneGrantIfTheClientReplaysTheAcquire(SharedGrants kind) throws Exception {
        shouldBeOneGrant(kind, instance(true));
    }

    private void shouldBeOneGrant(SharedGrants kind, Instance instance) throws Exception {
        Lease beside = this.other.registry().acquire(kind.request());
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutFin);

        Lease lease = instance.registry().acquire(kind.request());

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isGreaterThan(1);
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).as("one id for all").hasSize(1);
        String id = Script.ACQUIRE.idsSeen(this.proxy).iterator().next();
        assertThat(SharedGrants.holders(this.redis)).hasSize(2).contains("h:" + id);
        assertThat(this.redis.hgetall(SharedGrants.KEY).get("h:" + id).split(":", -1)[1])
                .isEqualTo(Long.toString(lease.fencingToken()));
        if (kind == SharedGrants.PERMITS) {
            assertThat(this.other.registry().getSemaphore(SharedGrants.NAME, 3).availablePermits())
                    .isEqualTo(1);
        }
        assertThat(lease.release()).isTrue();
        assertThat(SharedGrants.holders(this.redis)).hasSize(1);
        assertThat(beside.release()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseOneGrantOnlyIfTheReleaseIsReplayed(SharedGrants kind) throws Exception {
        for (boolean repeatedByTheClient : new boolean[] {true, false}) {
            Instance instance = instance(repeatedByTheClient);
            Lease beside = this.other.registry().acquire(kind.request());
            Lease lease = instance.registry().acquire(kind.request());
            this.proxy.forgetCommands();
            this.proxy.swallowReplyOf(Script.RELEASE, this.proxy::cutFin);

            assertThat(lease.release()).isTrue();

            soon().until(() -> this.proxy.commandsSeen(Script.RELEASE) > 1);
            assertThat(SharedGrants.holders(this.redis)).hasSize(1);
            assertThat(beside.isHeld()).isTrue();
            assertThat(beside.release()).isTrue();
            assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
            assertThat(instance.events().count(LockLostEvent.class)).isZero();
        }
    }
}
