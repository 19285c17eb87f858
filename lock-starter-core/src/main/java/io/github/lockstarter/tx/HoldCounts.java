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

    /** A reader within a writer has the writer's lease, which the reader takes over if the writer ends first. */
    private static final List<LockMode> LOCKS = List.of(LockMode.WRITE, LockMode.READ);

    private HoldCounts() {}

    /**
     * Returns whether the thread has no holds of the lock beyond the known ones. Its lease can then be released before
     * these end.
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
