package io.github.lockstarter.replicas;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Both commands of a confirmation must be answered on one physical connection. */
@Tag("redis")
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class BrokenPairTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @AutoClose
    private final MasterWithReplicas servers = new MasterWithReplicas(1);

    @AutoClose
    private final FaultProxy proxy = FaultProxy.inFrontOf(this.servers.master().port());

    @AutoClose
    private final Instances instances = new Instances();

    private Instance instance() {
        return this.instances.at(this.proxy, setup -> setup.calm().confirmReplicas(1));
    }

    @Test
    void shouldNotBelieveAGrantWhoseConnectionBrokeBeforeTheReplicasAnswered() throws Exception {
        LeaseLock lock = instance().lock("broken");
        lock.lock();
        lock.unlock();
        Hold hold = this.proxy.hold(Commands.named("wait"));
        CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ZERO)));
        hold.awaitReached(LIMIT);

        killConnections();
        hold.release();

        assertThat(failure.get(20, TimeUnit.SECONDS)).isInstanceOfSatisfying(LockStoreException.class, ex -> {
            assertThat(ex.isOutcomeUnknown()).isTrue();
            assertThat(ex.isTransient()).isTrue();
        });
        soon().until(() -> !isStored("broken"));
        assertThat(lock.tryLock(LIMIT)).as("opened again").isTrue();
        lock.unlock();
    }

    private void killConnections() {
        try (RedisCli cli = this.servers.master().cli()) {
            cli.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        }
    }

    private boolean isStored(String name) {
        try (RedisCli cli = this.servers.master().cli()) {
            return cli.exists("lock:{" + name + "}");
        }
    }
}
