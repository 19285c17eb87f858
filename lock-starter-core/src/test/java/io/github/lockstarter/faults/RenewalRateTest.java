package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** How often the watchdog renews: at a third of the lease, whatever was locked before. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class RenewalRateTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    RenewalRateTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    @Test
    void shouldRenewOnceInAThirdOfTheLease() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofSeconds(3)));
        Lease lease = instance.registry().acquire(LockRequest.of("long"));
        forgetWhatWasSent();

        letPass(Duration.ofMillis(10_500));

        // 10 if no renewal were early, 11 with the jitter of a twentieth
        assertThat(instance.events().count(LockRenewedEvent.class)).isBetween(9L, 11L);
        assertThat(this.proxy.commandsSeen(command -> true)).isBetween(9L, 11L);
        assertThat(this.redis.infoCommandStats().get("evalsha")).isBetween(9L, 11L);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotRenewMoreOftenAfterManyShortHolds() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofMillis(1500)));
        // in two threads, so that now and then none is held, and now and then more than one
        List<Call<Integer>> workers = new ArrayList<>();
        long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        for (int i = 0; i < 2; i++) {
            LeaseLock lock = instance.lock("short:" + i);
            workers.add(Call.start(() -> lockAndUnlock(lock, until)));
        }
        for (Call<Integer> worker : workers) {
            assertThat(worker.result()).isGreaterThan(100);
        }
        assertThat(instance.events().count(LockRenewedEvent.class))
                .as("nothing was held for long")
                .isZero();
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isZero();

        Lease lease = instance.registry().acquire(LockRequest.of("idle"));
        forgetWhatWasSent();
        letPass(Duration.ofSeconds(4));

        // 8 at intervals of 500 ms
        assertThat(instance.events().count(LockRenewedEvent.class)).isBetween(6L, 9L);
        assertThat(this.proxy.commandsSeen(command -> true)).isBetween(6L, 9L);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldRenewManyLocksTogether() throws Exception {
        Instance instance = this.instances.at(this.proxy, Setup::calm);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            leases.add(instance.registry().acquire(LockRequest.of("many:" + i)));
        }
        forgetWhatWasSent();
        long before = instance.events().count(LockRenewedEvent.class);

        soon().until(() -> instance.events().count(LockRenewedEvent.class) >= before + 3 * 250);

        assertThat(this.proxy.commandsSeen(Script.RENEW)).as("batches").isLessThan(3 * 250 / 20);
        assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(State.HELD));
        assertThat(instance.events().count(LockAtRiskEvent.class)).isZero();
    }

    private static int lockAndUnlock(LeaseLock lock, long until) {
        int holds = 0;
        for (; System.nanoTime() - until < 0; holds++) {
            lock.lock();
            long since = System.nanoTime();
            within(Duration.ofSeconds(1)).until(() -> System.nanoTime() - since > 1_000_000);
            lock.unlock();
        }
        return holds;
    }

    private void forgetWhatWasSent() {
        this.proxy.forgetCommands();
        this.redis.command("CONFIG", "RESETSTAT");
    }

    private static void letPass(Duration time) {
        long since = System.nanoTime();
        within(time.plusSeconds(5)).until(() -> System.nanoTime() - since >= time.toNanos());
    }
}
