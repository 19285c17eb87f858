package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** One instance holds very many locks, for longer than their lease. */
@RedisTest
class ManyLocksTest {

    private static final int LOCKS = 10_000;

    private static final int THREADS = 4;

    private static final Duration LEASE = Duration.ofSeconds(6);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance instance;

    ManyLocksTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.instance = this.instances.at(server, setup -> setup.lease(LEASE).commandTimeout(Duration.ofSeconds(1)));
    }

    @Test
    void shouldBeRenewedInTime() throws Exception {
        List<Call<List<Lease>>> calls = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            calls.add(Call.start(() -> acquire(thread)));
        }
        List<Lease> leases = new ArrayList<>();
        for (Call<List<Lease>> call : calls) {
            within(Duration.ofMinutes(1)).until(call::isDone);
            leases.addAll(call.result());
        }
        long heldSince = System.nanoTime();

        within(LEASE.multipliedBy(2)).until(() -> System.nanoTime() - heldSince > LEASE.toNanos());

        assertThat(leases).hasSize(LOCKS).allMatch(lease -> lease.state() == State.HELD);
        assertThat(this.redis.keys()).hasSize(LOCKS);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.instance.events().count(LockAtRiskEvent.class))
                .as("late on a busy machine")
                .isLessThan(LOCKS / 100);
        assertThat(this.instance.events().count(LockRenewedEvent.class)).isGreaterThan(2L * LOCKS);
        assertThat(this.instance.active()).isEqualTo(LOCKS);
    }

    private List<Lease> acquire(int first) throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = first; i < LOCKS; i += THREADS) {
            leases.add(this.instance.registry().acquire(LockRequest.of("many:" + i)));
        }
        return leases;
    }
}
