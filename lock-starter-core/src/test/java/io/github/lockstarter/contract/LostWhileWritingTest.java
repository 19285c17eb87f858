package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * A lease is lost while its thread writes and already holds the read lock, with which it would go on. The exception of the
 * unlock skips the code that would end the read hold, so that the unlock must end it: the thread is free to lock again.
 */
class LostWhileWritingTest {

    @SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
    abstract static class LostWhileWritingContract extends SharedFixture {

        private final Actor thread = actor();

        LostWhileWritingContract(LockBackend backend) {
            super(backend);
        }

        @Test
        void shouldLeaveTheThreadFreeWhenTheUnlockDetectsTheLoss() throws Exception {
            LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);

            this.thread.tell(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> writeThenRead(lock, this::forceUnlock)));

            assertThatTheThreadIsFree(lock);
        }

        @Test
        void shouldLeaveTheThreadFreeWhenTheLossIsKnownBefore() throws Exception {
            LeaseReadWriteLock lock = registry().getReadWriteLock(NAME);

            this.thread.tell(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> writeThenRead(lock, () -> {
                        forceUnlock();
                        soon().until(() -> lock.writeLock().currentLease().state() == Lease.State.LOST);
                    })));

            assertThatTheThreadIsFree(lock);
        }

        @Test
        void shouldLeaveTheThreadFreeAfterNestedHolds() throws Exception {
            LeaseReadWriteLock lock = registry(quiet(NONE)).getReadWriteLock(NAME);

            this.thread.tell(() -> {
                lock.writeLock().lock();
                lock.readLock().lock();
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> writeThenRead(lock, () -> {
                            forceUnlock();
                            lock.writeLock().unlock();
                        }));
            });

            assertThatTheThreadIsFree(lock);
        }

        @Test
        void shouldLeaveTheThreadFreeAfterABodyThatWrites() throws Exception {
            LockRegistry registry = registry(quiet(NONE));
            LeaseReadWriteLock lock = registry.getReadWriteLock(NAME);

            this.thread.tell(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> registry.executeWithoutResult(request(), lease -> {
                        lock.readLock().lock();
                        forceUnlock();
                    })));

            assertThatTheThreadIsFree(lock);
        }

        /** Returns the token of the reader. This is the code that the manual recommends, with something before the unlock. */
        private static long writeThenRead(LeaseReadWriteLock lock, Actor.Action beforeUnlock) throws Exception {
            lock.writeLock().lock();
            try {
                lock.readLock().lock();
                beforeUnlock.run();
            } finally {
                lock.writeLock().unlock();
            }
            try {
                return lock.readLock().currentLease().fencingToken();
            } finally {
                lock.readLock().unlock();
            }
        }

        private void forceUnlock() {
            assertThat(registry(quiet(NONE)).getLock(NAME).forceUnlock()).isTrue();
        }

        private void assertThatTheThreadIsFree(LeaseReadWriteLock lock) throws Exception {
            this.thread.tell(() -> {
                assertThat(writeThenRead(lock, () -> {})).isPositive();
                assertThat(lock.readLock().tryLock()).isTrue();
                lock.readLock().unlock();
                assertThat(lock.writeLock().tryLock()).isTrue();
                lock.writeLock().unlock();
                assertThat(lock.writeLock().getHoldCount())
                        .as("holds of the writer")
                        .isZero();
                assertThat(lock.readLock().getHoldCount())
                        .as("holds of the reader")
                        .isZero();
            });
        }
    }

    @Nested
    class InMemory extends LostWhileWritingContract {
        InMemory() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    @RedisTest
    class OnRedis extends LostWhileWritingContract {
        OnRedis(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
