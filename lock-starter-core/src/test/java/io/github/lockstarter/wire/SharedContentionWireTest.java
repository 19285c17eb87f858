package io.github.lockstarter.wire;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.NeverRepeated;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.wire.PreviousInstance.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Owners of the earlier version contend with readers, writers and plain locks of the present code. No waiter of the present
 * code polls within the time of the test, so that one that is forgotten fails it.
 */
@NeverRepeated
@RedisTest
class SharedContentionWireTest {

    private static final String NAME = "orders:42";

    private static final int ROUNDS = 15;

    /** Less than the poll interval. */
    private static final long LIMIT_SECONDS = 15;

    private final RedisServer server;

    @AutoClose
    private final Instances instances = new Instances();

    private final AtomicInteger writers = new AtomicInteger();

    private final AtomicInteger readers = new AtomicInteger();

    private final AtomicInteger violations = new AtomicInteger();

    SharedContentionWireTest(RedisServer server) {
        this.server = server;
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeitherHaveTwoOwnersNorForgetAWaiter(Version version) throws Exception {
        List<CompletableFuture<?>> workers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Instance present = this.instances.at(
                    this.server, setup -> setup.calm().withoutPolling().withoutHandOff());
            LeaseReadWriteLock lock = present.registry().getReadWriteLock(NAME);
            workers.add(start(() -> rounds(lock.readLock(), this::read)));
            workers.add(start(() -> rounds(lock.writeLock(), this::write)));
            workers.add(start(() -> rounds(present.lock(NAME), this::write)));
            String id = "old" + i;
            workers.add(start(() -> roundsOfEarlierVersion(version, id)));
        }

        for (CompletableFuture<?> worker : workers) {
            worker.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }

        assertThat(this.violations).hasValue(0);
    }

    private static void rounds(Lock lock, Runnable body) {
        for (int round = 0; round < ROUNDS; round++) {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }
    }

    private void roundsOfEarlierVersion(Version version, String instanceId) {
        try (PreviousInstance previous = new PreviousInstance(this.server, instanceId, version)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = instanceId + 'x' + round;
                soon().until(() -> previous.join(NAME, id) > 0);
                write();
                assertThat(previous.renew(NAME, id)).isEmpty();
                assertThat(previous.release(NAME, id)).isEqualTo(1);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // gives a violation a chance to be seen
    private void write() {
        int others = this.writers.getAndIncrement() + this.readers.get();
        Thread.yield();
        others += this.readers.get();
        this.writers.decrementAndGet();
        this.violations.addAndGet(others);
    }

    @SuppressWarnings("ThreadPriorityCheck") // gives a violation a chance to be seen
    private void read() {
        this.readers.incrementAndGet();
        int others = this.writers.get();
        Thread.yield();
        others += this.writers.get();
        this.readers.decrementAndGet();
        this.violations.addAndGet(others);
    }

    private static CompletableFuture<?> start(Runnable task) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                        end.complete(null);
                    } catch (Throwable ex) {
                        end.completeExceptionally(ex);
                    }
                },
                "worker");
        thread.setDaemon(true);
        thread.start();
        return end;
    }
}
