package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.Remarks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A recursion that exhausts the stack ends with a {@link StackOverflowError} anywhere, also inside of the library. No name is
 * unusable after that: what the call has done is undone, or ends by itself. With the store in memory, because clients of
 * Redis promise nothing about such errors.
 */
class ExhaustedStackTest extends RegistryFixture {

    private static final int NAMES = 1_500;

    /** Little, so that it is exhausted soon. */
    private static final long STACK_BYTES = 512 * 1024;

    /** A recursion ends after so many calls that succeed, because those of its further levels have more room. */
    private static final int ENOUGH = 5;

    private final LeasingLockRegistry registry = registry(settings(TIMEOUT));

    ExhaustedStackTest() {
        super(new InMemoryBackend());
    }

    @Test
    void shouldNotCloseNamesThatThreadsLock() throws Exception {
        List<LeaseLock> locks = new ArrayList<>();

        exhaust(
                name -> {
                    LeaseLock lock = this.registry.getLock(name);
                    locks.add(lock);
                    if (lock.tryLock()) {
                        lock.unlock();
                    }
                },
                () -> locks.forEach(ExhaustedStackTest::unlockWhatIsHeld));

        assertThatAllNamesAreUsable();
    }

    @Test
    void shouldNotCloseNamesOfBodies() throws Exception {
        List<LeaseLock> locks = new ArrayList<>();

        exhaust(
                name -> {
                    locks.add(this.registry.getLock(name));
                    this.registry.executeWithoutResult(LockRequest.of(name), lease -> {});
                },
                () -> locks.forEach(ExhaustedStackTest::unlockWhatIsHeld));

        assertThatAllNamesAreUsable();
    }

    /** A call with one name, which may end with an error. */
    private interface Attempt {
        void on(String name) throws Exception;
    }

    /**
     * Makes one attempt with each name, so close to the end of the stack that most of them overflow it, at all depths.
     *
     * @param afterwards what the same thread does when it has room again
     */
    private void exhaust(Attempt attempt, Runnable afterwards) throws Exception {
        // A class that is initialized on an exhausted stack stays unusable, whatever the library does.
        handOver("first");
        CompletableFuture<Recursion> done = new CompletableFuture<>();
        Runnable work = () -> {
            try {
                Recursion recursion = new Recursion(attempt);
                recursion.useAllNames();
                afterwards.run();
                done.complete(recursion);
            } catch (Throwable ex) {
                done.completeExceptionally(ex);
            }
        };
        Thread thread = new Thread(null, work, "recursion", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        Recursion recursion = get(done);
        Remarks.say(recursion);
        assertThat(recursion.overflows()).as("calls that overflowed the stack").isBetween(NAMES / 2, NAMES - ENOUGH);
    }

    private void handOver(String name) throws Exception {
        Lease first = this.registry.acquire(LockRequest.of(name));
        CompletableFuture<Lease> second = this.registry.acquireAsync(LockRequest.of(name));
        first.release();
        get(second).release();
    }

    /** Exhausts the stack again and again, and makes one attempt at each level on the way back. */
    private static final class Recursion {

        private final Attempt attempt;

        private int used;

        private int successes;

        private int toSucceed;

        Recursion(Attempt attempt) {
            this.attempt = attempt;
        }

        void useAllNames() throws Exception {
            // Not at the end of the stack, see above.
            attempt();
            while (this.used < NAMES) {
                this.toSucceed = ENOUGH;
                descend();
            }
        }

        @SuppressWarnings("InfiniteRecursion") // ends with the stack
        private void descend() throws Exception {
            try {
                descend();
            } catch (StackOverflowError ex) {
                // The deepest level, or an attempt of the next one had no room to begin.
            }
            if (this.used < NAMES && this.toSucceed > 0) {
                try {
                    attempt();
                } catch (StackOverflowError ex) {
                    // This is what is tested.
                }
            }
        }

        private void attempt() throws Exception {
            this.attempt.on(name(this.used++));
            this.successes++;
            this.toSucceed--;
        }

        int overflows() {
            return this.used - this.successes;
        }

        @Override
        public String toString() {
            return overflows() + " of " + this.used + " calls overflowed the stack.";
        }
    }

    private static void unlockWhatIsHeld(LeaseLock lock) {
        try {
            while (lock.getHoldCount() > 0) {
                lock.unlock();
            }
        } catch (LockException ex) {
            // Lost: it is not held any more.
        }
    }

    /** Another owner is granted each of them, when what is left in the store has expired. */
    private void assertThatAllNamesAreUsable() {
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            leases.add(this.registry.acquireAsync(LockRequest.of(name(i)).withWaitTime(TIMEOUT.multipliedBy(4))));
        }
        List<String> closed = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            try {
                get(leases.get(i)).release();
            } catch (Exception ex) {
                closed.add(name(i) + ": " + ex);
            }
        }
        assertThat(closed).as("names that are unusable in this JVM").isEmpty();
    }

    private static String name(int number) {
        return "deep-" + number;
    }
}
