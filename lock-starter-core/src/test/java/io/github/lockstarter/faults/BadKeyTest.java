package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody does to one key costs that lock, and no other that is renewed along with it. */
@RedisTest
class BadKeyTest {

    private static final int LOCKS = 100;

    private static final String BAD = "lock:{many:37}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance instance;

    private final List<Lease> leases = new ArrayList<>();

    BadKeyTest(FaultProxy proxy, RedisCli redis) throws InterruptedException {
        this.redis = redis;
        this.instance = this.instances.at(proxy, Setup::calm);
        for (int i = 0; i < LOCKS; i++) {
            this.leases.add(this.instance.registry().acquire(LockRequest.of("many:" + i)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "return redis.call('SET', KEYS[1], 'mine')",
                "redis.call('DEL', KEYS[1]); return redis.call('LPUSH', KEYS[1], 'mine')"
            })
    void shouldLoseTheLockWhoseKeyHasAnotherTypeAndNoOther(String overwrite) {
        this.redis.command("EVAL", overwrite, "1", BAD);
        String type = String.valueOf(this.redis.command("TYPE", BAD));

        assertThatOnlyTheBadOneIsLost(LossReason.TAKEN_OVER);

        assertThat(this.redis.command("TYPE", BAD)).as("it is not ours").isEqualTo(type);
        this.leases.forEach(Lease::close);
        assertThat(this.redis.keys()).as("all but that one").hasSize(1);
        assertThat(this.redis.command("TYPE", BAD)).isEqualTo(type);
    }

    @Test
    void shouldLoseTheLockThatSomebodyElseHasAndNoOther() {
        this.redis.command("HSET", BAD, "o", "somebody else");
        long pttl = this.redis.pttl(BAD);

        assertThatOnlyTheBadOneIsLost(LossReason.TAKEN_OVER);

        assertThat(this.redis.hgetall(BAD)).containsEntry("o", "somebody else");
        assertThat(this.redis.pttl(BAD)).as("nobody prolonged what is not ours").isLessThan(pttl);
    }

    private void assertThatOnlyTheBadOneIsLost(LossReason reason) {
        Lease bad = this.leases.get(37);
        soon().until(() -> bad.state() == State.LOST);
        assertThat(bad.lost().toCompletableFuture().join()).isEqualTo(reason);
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) >= renewed + 3 * (LOCKS - 1));

        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::lockName, LockLostEvent::reason)
                .containsExactly(tuple("many:37", reason));
        assertThat(this.instance.events().count(LockAtRiskEvent.class))
                .as("renewed on time")
                .isZero();
        for (Lease lease : this.leases) {
            if (lease != bad) {
                assertThat(lease.state()).isEqualTo(State.HELD);
                assertThat(this.redis.hgetall("lock:{" + lease.name() + "}"))
                        .containsEntry("f", Long.toString(lease.fencingToken()));
            }
        }
    }
}
