package io.github.lockstarter.benchmarks.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.benchmarks.client.LockClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The check is only worth something if it finds a lock that does not exclude, and tokens that do not grow. */
class ExclusionCheckTest {

    private static final int THREADS = 4;

    private static final Duration TIME = Duration.ofMillis(200);

    /** Long enough for threads to meet inside, however few processors there are. */
    private static final Duration WORK = Duration.ofMillis(1);

    private final Lock exclusive = new ReentrantLock();

    private final Lock shared = new ReentrantReadWriteLock().readLock();

    private final AtomicLong tokens = new AtomicLong();

    @Test
    void aLockThatExcludesPasses() throws InterruptedException {
        ContentionResult result = contend(this.exclusive, this.tokens::incrementAndGet);

        assertThat(result.served()).isPositive().isLessThanOrEqualTo(result.entered());
        assertThat(result.longestWaitNanos()).isPositive();
        assertThat(result.handOverNanos()).as("within one JVM").isZero();
    }

    @Test
    void aLockThatLetsSeveralInIsFound() {
        assertThatExceptionOfType(ExclusionViolationException.class)
                .isThrownBy(() -> contend(this.shared, () -> LockClient.NO_TOKEN))
                .withMessageMatching("[1-9]\\d* overlaps.*");
    }

    @Test
    void tokensThatDoNotGrowAreFound() {
        assertThatExceptionOfType(ExclusionViolationException.class)
                .isThrownBy(() -> contend(this.exclusive, () -> this.tokens.incrementAndGet() / 2))
                .withMessageStartingWith("0 overlaps");
    }

    private static ContentionResult contend(Lock lock, LongSupplier tokens) throws InterruptedException {
        try (Arena arena = Arena.create()) {
            long start = System.nanoTime();
            Contention.run(
                    new LocalClient(lock, tokens),
                    new ContentionOrder(arena.file(), 1, THREADS, WORK.toNanos(), start, start + TIME.toNanos()));
            return ContentionResult.read(arena, 1, THREADS);
        }
    }

    private record LocalClient(Lock lock, LongSupplier tokens) implements LockClient {

        @Override
        public Lock getLock(String name) {
            return this.lock;
        }

        @Override
        public long token(Lock held) {
            return this.tokens.getAsLong();
        }

        @Override
        public void close() {}
    }
}
