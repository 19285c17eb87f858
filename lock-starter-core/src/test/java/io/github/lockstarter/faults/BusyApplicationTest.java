package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Blockade;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.registry.ReleaseMode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The application blocks whatever threads it can reach; locks have their own. */
@Tag("full")
@Timeout(180)
class BusyApplicationTest extends FaultFixture {

    @AutoClose
    private final Blockade blockade = new Blockade();

    @Test
    void shouldRenewBesideTwoThousandThreadsAndAFullCommonPool() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofSeconds(3)));
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        int pool = ForkJoinPool.getCommonPoolParallelism();
        for (int i = 0; i < pool + 50; i++) {
            ForkJoinPool.commonPool().execute(this.blockade::block);
        }
        for (int i = 0; i < 2_000; i++) {
            Thread thread = new Thread(null, this.blockade::block, "application-" + i, 128 * 1024);
            thread.setDaemon(true);
            thread.start();
        }
        soon().until(() -> this.blockade.blocked() >= 2_000 + pool);

        instance.awaitRenewals(4);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.lock("another").tryLock(LIMIT)).isTrue();
        instance.lock("another").unlock();
        assertThat(lease.release()).isTrue();
    }

    /** What hangs on {@code orTimeout} runs on the one timer thread that all futures of a JVM share. */
    @Test
    void shouldNoticeAMissingReplyWhileTheTimerOfAllFuturesIsBlocked() throws Exception {
        Instance instance = this.instances.at(
                this.proxy,
                setup -> setup.lease(Duration.ofSeconds(30))
                        .commandTimeout(Duration.ofMillis(300))
                        .releaseMode(ReleaseMode.BACKGROUND));
        Lease lease = instance.registry().acquire(LockRequest.of("beside"));
        CompletableFuture<Object> application = new CompletableFuture<>();
        CompletableFuture<?> blocking = application.handle((none, timeout) -> {
            this.blockade.block();
            return none;
        });
        // Last: a stage that is added to what has timed out already runs here.
        CompletableFuture<?> unused = application.orTimeout(1, TimeUnit.MILLISECONDS);
        soon().until(() -> this.blockade.blocked() == 1);
        this.proxy.swallowRequestOf(Script.RELEASE, () -> {});

        assertThat(lease.release()).isTrue();

        soon().until(() -> !this.redis.exists("lock:{beside}"));
        this.blockade.close();
        get(blocking);
    }
}
