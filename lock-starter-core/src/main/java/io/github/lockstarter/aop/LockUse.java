package io.github.lockstarter.aop;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;

/**
 * What a grant allows beside it.
 *
 * @param mode the mode of the request
 * @param weight number of permits that the call requests; 0 for a lock
 * @param permits number of permits that all holders may have together; 0 for a lock
 */
record LockUse(LockMode mode, int weight, int permits) {

    /** Returns the use of a lock, which has no permits. */
    public static LockUse of(LockMode mode) {
        return new LockUse(mode, 0, 0);
    }

    LockRequest applyTo(LockRequest request) {
        return switch (this.mode) {
            case WRITE -> request;
            case READ -> request.withMode(LockMode.READ);
            case PERMIT -> request.withPermits(this.weight, this.permits);
        };
    }
}
