package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.HistoryWorker;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A fault that is planted in the lock of the worker processes. The checker must find violations of its rule alone. */
enum FaultyLock {
    /** The owner relies on the lock for longer than the lease lasts. */
    LONG_BELIEF(Rule.BELIEF),
    /** A later grant has a smaller token. */
    FALLING_TOKENS(Rule.TOKENS),
    /** The owner is not notified of a loss. */
    NO_NOTICE(Rule.NOTICE),
    /** A release reports that the lock was held, whatever Redis has answered. */
    UNREPORTED_LOSS(Rule.RELEASE),
    /** A wait ends a second too late. */
    LATE_REFUSAL(Rule.WAITING);

    private static final Duration DELAY = Duration.ofSeconds(1);

    private final Rule rule;

    FaultyLock(Rule rule) {
        this.rule = rule;
    }

    Rule rule() {
        return this.rule;
    }

    /** The program of a worker process. Its variant names the fault. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            HistoryWorker.run(
                    arguments,
                    given -> new Locks(
                            new LockStarterLocks(given.port(), given.timing(), 0),
                            FaultyLock.valueOf(given.variant()),
                            given.timing().lease()));
        }
    }

    private record Locks(LockUnderTest locks, FaultyLock fault, Duration lease) implements LockUnderTest {

        @Override
        public Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException {
            Optional<HeldLock> held = this.locks.tryAcquire(request);
            if (held.isEmpty() && this.fault == LATE_REFUSAL) {
                Thread.sleep(DELAY.toMillis());
            }
            return held.map(Held::new);
        }

        @Override
        public void close() {
            this.locks.close();
        }

        private final class Held implements HeldLock {

            private final HeldLock lock;

            Held(HeldLock lock) {
                this.lock = lock;
            }

            @Override
            public long token() {
                long token = this.lock.token();
                return Locks.this.fault == FALLING_TOKENS ? Long.MAX_VALUE - token : token;
            }

            @Override
            public Duration remaining() {
                Duration remaining = this.lock.remaining();
                return Locks.this.fault == LONG_BELIEF ? remaining.plus(Locks.this.lease) : remaining;
            }

            @Override
            public boolean hasCheck() {
                return Locks.this.fault != NO_NOTICE;
            }

            @Override
            public boolean isHeld() {
                return this.lock.isHeld();
            }

            @Override
            public void onLoss(Consumer<String> listener) {
                if (Locks.this.fault != NO_NOTICE) {
                    this.lock.onLoss(listener);
                }
            }

            @Override
            public boolean release() {
                boolean wasHeld = this.lock.release();
                return wasHeld || Locks.this.fault == UNREPORTED_LOSS;
            }
        }
    }
}
