package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A thread that enters its lock again and again costs Redis nothing, and needs as many ends. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
class DeepNestingTest {

    private static final int DEPTH = 100_000;

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    DeepNestingTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    @Test
    void shouldCostTwoCommandsHoweverDeep() {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofMinutes(1)));
        LeaseLock lock = instance.lock("deep");
        this.proxy.forgetCommands();
        for (int i = 0; i < DEPTH; i++) {
            lock.lock();
        }
        assertThat(lock.getHoldCount()).isEqualTo(DEPTH);
        for (int i = 1; i < DEPTH; i++) {
            lock.unlock();
        }

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(this.redis.exists("lock:{deep}")).isTrue();
        lock.unlock();
        assertThat(this.redis.exists("lock:{deep}")).isFalse();
        assertThat(this.proxy.commandsSeen(command -> true)).isEqualTo(2);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }
}
