package io.github.lockstarter.faults;

import static io.github.lockstarter.faults.Waiting.LIMIT;
import static io.github.lockstarter.faults.Waiting.soon;
import static io.github.lockstarter.faults.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The application blocks whatever threads it can reach; locks have their own. */
@RedisTest
class BusyApplicationTest {

    private static final int EVENT_LOOPS = 3;

    private final Instances instances = new Instances();

    private final ClientResources resources =
            DefaultClientResources.builder().ioThreadPoolSize(EVENT_LOOPS).build();

    private final CountDownLatch end = new CountDownLatch(1);

    private final AtomicInteger blocked = new AtomicInteger();

    private final FaultProxy proxy;

    private final RedisCli redis;

    BusyApplicationTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
    }

    @AfterEach
    void unblock() {
        this.end.countDown();
        this.instances.close();
        Future<Boolean> unused = this.resources.shutdown(0, 0, TimeUnit.SECONDS);
    }

    private void block() {
        this.blocked.incrementAndGet();
        try {
            this.end.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldRenewBesideTwoThousandThreadsAndAFullCommonPool() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofSeconds(3)));
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        int pool = ForkJoinPool.getCommonPoolParallelism();
        for (int i = 0; i < pool + 50; i++) {
            ForkJoinPool.commonPool().execute(this::block);
        }
        for (int i = 0; i < 2_000; i++) {
            Thread thread = new Thread(null, this::block, "application-" + i, 128 * 1024);
            thread.setDaemon(true);
            thread.start();
        }
        within(Duration.ofMinutes(1)).until(() -> this.blocked.get() >= 2_000 + pool);
        long renewed = instance.events().count(LockRenewedEvent.class);

        soon().until(() -> instance.events().count(LockRenewedEvent.class) > renewed + 3);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.lock("another").tryLock(LIMIT)).isTrue();
        instance.lock("another").unlock();
        assertThat(lease.release()).isTrue();
    }

    /** Boot gives all clients of an application the same event loops, and who blocks in a callback blocks one. */
    @Test
    void shouldRenewWhileAnEventLoopOfTheClientIsBlocked() throws Exception {
        Instance instance = sharingEventLoops();
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        blockEventLoops(1);
        long renewed = instance.events().count(LockRenewedEvent.class);

        soon().until(() -> instance.events().count(LockRenewedEvent.class) > renewed + 2);

        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void shouldTellOfTheLossWhenAllEventLoopsAreBlocked() throws Exception {
        Instance instance = sharingEventLoops();
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        blockEventLoops(EVENT_LOOPS);

        // the key is asked first: gone, and still held, would be a lie
        while (lease.isHeld()) {
            boolean gone = !this.redis.exists("lock:{beside}");
            assertThat(gone && lease.isHeld()).isFalse();
        }

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        this.end.countDown();
        assertThat(instance.lock("another").tryLock(LIMIT)).as("works again").isTrue();
        instance.lock("another").unlock();
    }

    private Instance sharingEventLoops() {
        return this.instances.at(
                this.proxy, setup -> setup.lease(Duration.ofSeconds(6)).clientResources(this.resources));
    }

    /** Each new connection goes to the next event loop. */
    private void blockEventLoops(int count) {
        RedisClient application = RedisClient.create(this.resources, this.proxy.uri());
        while (this.blocked.get() < count) {
            int before = this.blocked.get();
            application.connect().async().ping().thenRun(this::block);
            soon().until(() -> this.blocked.get() > before);
        }
    }
}
