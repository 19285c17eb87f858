package io.github.lockstarter.benchmarks.contention;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.LockClient;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * The check is only worth something if it finds a lock that does not exclude, a semaphore that has too many permits,
 * and tokens that do not grow.
 */
class ExclusionCheckTest {

    private static final int THREADS = 4;

    private static final Duration TIME = Duration.ofMillis(200);

    /** Long enough for threads to meet inside, however few processors there are. */
    private static final Duration WORK = Duration.ofMillis(1);

    private static final Sharing HALF_READS = Sharing.reads(50);

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
    void aLockThatLetsSeveralInIsFound() throws Exception {
        assertThat(violation(() -> contend(this.shared, () -> LockClient.NO_TOKEN)))
                .hasMessageMatching("[1-9]\\d* overlaps.*");
    }

    @Test
    void tokensThatDoNotGrowAreFound() throws Exception {
        assertThat(violation(() -> contend(this.exclusive, () -> this.tokens.incrementAndGet() / 2)))
                .hasMessageStartingWith("0 overlaps");
    }

    @Test
    void readersBesideEachOtherPass() throws InterruptedException {
        ContentionResult result = contend(readWriteLock(new ReentrantReadWriteLock(true)), HALF_READS);

        assertThat(result.served()).isPositive().isLessThanOrEqualTo(result.entered());
        assertThat(result.longestWaitNanos()).as("of a reader").isPositive();
        assertThat(result.longestWriteWaitNanos()).as("of a writer").isPositive();
    }

    @Test
    void aWriterBesideReadersIsFound() throws Exception {
        ReadWriteLock broken = pair(this.shared, this.exclusive);

        assertThat(violation(() -> contend(readWriteLock(broken), HALF_READS)))
                .hasMessageMatching("[1-9]\\d* overlaps.*");
    }

    @Test
    void twoWritersAreFound() throws Exception {
        ReadWriteLock broken = pair(this.shared, this.shared);

        assertThat(violation(() -> contend(readWriteLock(broken), Sharing.reads(0))))
                .hasMessageMatching("[1-9]\\d* overlaps.*");
    }

    @Test
    void readersMayShareATokenBetweenThoseOfWriters() throws InterruptedException {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
        LongSupplier shared = () -> lock.isWriteLocked() ? this.tokens.addAndGet(2) : this.tokens.get() + 1;

        assertThat(contend(readWriteLock(lock, shared), HALF_READS).served()).isPositive();
    }

    @Test
    void aReadersTokenThatIsNotLargerThanThatOfAWriterIsFound() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
        LongSupplier stale = () -> lock.isWriteLocked() ? this.tokens.incrementAndGet() : this.tokens.get();

        assertThat(violation(() -> contend(readWriteLock(lock, stale), HALF_READS)))
                .hasMessageStartingWith("0 overlaps");
    }

    @Test
    void aWritersTokenThatIsNotLargerThanThatOfAReaderIsFound() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
        LongSupplier stale = () -> this.tokens.incrementAndGet() + (lock.isWriteLocked() ? 0 : 10);

        assertThat(violation(() -> contend(readWriteLock(lock, stale), HALF_READS)))
                .hasMessageStartingWith("0 overlaps");
    }

    @Test
    void asManyAsThereArePermitsPass() throws InterruptedException {
        ContentionResult result = contend(semaphore(new Semaphore(2)), Sharing.permits(2));

        assertThat(result.served()).isPositive().isLessThanOrEqualTo(result.entered());
        assertThat(result.longestWaitNanos()).isPositive();
    }

    @Test
    void aSemaphoreThatLetsOneMoreInIsFound() throws Exception {
        assertThat(violation(() -> contend(semaphore(new Semaphore(3)), Sharing.permits(2))))
                .hasMessageMatching("[1-9]\\d* overlaps.*");
    }

    @Test
    void theLimitNeedsNoContender() throws InterruptedException {
        assertThat(contend(new LockClientStub(), Sharing.UNLIMITED).served()).isPositive();
    }

    /** Returns what is found when threads meet inside, which one contention on a busy machine need not bring about. */
    private static ExclusionViolationException violation(Callable<?> contention) throws Exception {
        for (int i = 0; i < 50; i++) {
            try {
                contention.call();
            } catch (ExclusionViolationException ex) {
                return ex;
            }
        }
        throw new AssertionError("nothing was found");
    }

    private static ContentionResult contend(Lock lock, LongSupplier tokens) throws InterruptedException {
        return contend(new LocalClient(lock, tokens), Sharing.EXCLUSIVE);
    }

    private static ContentionResult contend(LockClient client, Sharing sharing) throws InterruptedException {
        try (Arena arena = Arena.create()) {
            long start = System.nanoTime();
            Contention.run(
                    client,
                    new ContentionOrder(
                            arena.file(), 1, THREADS, sharing, WORK.toNanos(), start, start + TIME.toNanos()));
            return ContentionResult.read(arena, 1, THREADS);
        }
    }

    private static LockClient readWriteLock(ReadWriteLock lock) {
        return readWriteLock(lock, () -> LockClient.NO_TOKEN);
    }

    private static LockClient readWriteLock(ReadWriteLock lock, LongSupplier tokens) {
        return new LockClientStub() {

            @Override
            public ReadWriteLock getReadWriteLock(String name) {
                return lock;
            }

            @Override
            public long token(Lock held) {
                return tokens.getAsLong();
            }
        };
    }

    private static ReadWriteLock pair(Lock read, Lock write) {
        return new ReadWriteLock() {

            @Override
            public Lock readLock() {
                return read;
            }

            @Override
            public Lock writeLock() {
                return write;
            }
        };
    }

    private static LockClient semaphore(Semaphore semaphore) {
        return new LockClientStub() {

            @Override
            public Runnable takePermit(String name, int permits) throws InterruptedException {
                semaphore.acquire();
                return semaphore::release;
            }
        };
    }

    private static class LockClientStub implements LockClient {

        @Override
        public Lock getLock(String name) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public void close() {}
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
