package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names that are used once leave nothing behind, neither here nor in Redis. */
@Tag("full")
@RedisTest
@Timeout(300)
class NoLeakTest {

    private static final int NAMES = 100_000;

    private static final int THREADS = 4;

    private static final int BYTES_EACH = 50;

    /** Pools that come and go with the load. */
    private static final int SPARE_THREADS = 30;

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance here;

    private final Instance there;

    NoLeakTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.here = this.instances.at(server, NoLeakTest::patient);
        this.there = this.instances.at(server, NoLeakTest::patient);
    }

    private static Setup patient(Setup setup) {
        return setup.withDescription().lease(Duration.ofSeconds(60)).commandTimeout(Duration.ofSeconds(5));
    }

    @Test
    void shouldLeaveNothingOfManyNames() throws Exception {
        useAll("warm", 4_000);
        long before = usedHeap();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();

        useAll("once", NAMES);

        assertThat(this.here.active() + this.there.active()).isZero();
        assertThat(this.here.waiting() + this.there.waiting()).isZero();
        assertThat(this.redis.keys()).isEmpty();
        assertThat(Channel.all(this.redis)).as("one inbox each").hasSizeLessThanOrEqualTo(2);
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
                .as("threads")
                .isLessThan(threads + SPARE_THREADS);
        this.here.events().forget();
        this.there.events().forget();
        soon().untilAsserted(() -> assertThat(usedHeap() - before)
                .as("bytes for " + NAMES + " names")
                .isLessThan((long) NAMES * BYTES_EACH));
    }

    private void useAll(String prefix, int names) throws Exception {
        List<Call<Integer>> calls = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            calls.add(Call.start(() -> {
                int used = 0;
                for (int i = first; i < names; i += THREADS) {
                    use(prefix + ":" + i, i);
                    used++;
                }
                return used;
            }));
        }
        for (Call<Integer> call : calls) {
            soon().atMost(Duration.ofMinutes(4)).until(call::isDone);
            assertThat(call.result()).isEqualTo(names / THREADS);
        }
        this.here.events().forget();
        this.there.events().forget();
    }

    private void use(String name, int number) throws Exception {
        LockRequest request = LockRequest.of(name);
        Lease first = this.here.registry().acquire(request);
        if (number % 20 == 0) {
            assertThat(this.there.lock(name).tryLock()).isFalse();
        }
        if (number % 50 == 1) {
            CompletableFuture<Void> both =
                    CompletableFuture.allOf(useNext(this.here, request), useNext(this.there, request));
            first.close();
            both.get(10, TimeUnit.SECONDS);
        } else {
            first.close();
        }
    }

    private static CompletableFuture<Void> useNext(Instance instance, LockRequest request) {
        return instance.registry()
                .acquireAsync(request)
                .thenAccept(Lease::close)
                .toCompletableFuture();
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
