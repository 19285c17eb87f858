package io.github.lockstarter.tx;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.util.List;
import java.util.function.ToIntFunction;

/** Counts the holds of the current thread in all modes in which it may hold one lock. */
public final class HoldCounts {

    private static final List<LockMode> PERMITS = List.of(LockMode.PERMIT);

    /** A reader inside of a writer has the writer's lease, which becomes its own if the writer ends before. */
    private static final List<LockMode> LOCKS = List.of(LockMode.WRITE, LockMode.READ);

    private HoldCounts() {}

    /**
     * Returns whether the thread has no other holds of the lock than those, so that its lease can be released before
     * they end.
     *
     * @param known how many holds of a mode are known
     */
    public static boolean areAll(LockRegistry registry, LockRequest request, ToIntFunction<LockMode> known) {
        for (LockMode mode : request.mode() == LockMode.PERMIT ? PERMITS : LOCKS) {
            LockRequest inMode = mode == request.mode() ? request : request.withMode(mode);
            LeaseLock lock = registry.getOwnedLock(inMode);
            // The mock of a registry in a test may return null.
            if (lock == null || lock.getHoldCount() != known.applyAsInt(mode)) {
                return false;
            }
        }
        return true;
    }
}
