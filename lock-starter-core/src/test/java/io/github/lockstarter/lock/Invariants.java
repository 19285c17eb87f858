package io.github.lockstarter.lock;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.lock.Acquisition.Phase;
import org.jspecify.annotations.Nullable;

/** The invariants that the note of {@link LocalLock} lists, which hold between two inputs. */
final class Invariants {

    private Invariants() {}

    /** Returns whether a downgrade has no reply yet. */
    static boolean isDowngrading(LocalLock lock) {
        for (Acquisition acquisition = lock.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.HELD && acquisition.isDowngrading()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first invariant that is violated, or {@code null} if all hold. */
    static @Nullable String broken(LocalLock lock) {
        Waiter first = lock.waiters.first;
        boolean needsCandidate = first != null && lock.mayAsk(first);
        // During a downgrade, a candidate is allowed although the first waiter, behind one that had to ask, may be a
        // reader that will join.
        if (lock.candidate != null ? !needsCandidate && !isDowngrading(lock) : needsCandidate) {
            return "a candidate without need, or none";
        }
        if (first != null && lock.candidate != null && !lock.candidate.kind.equals(first.kind)) {
            return "the candidate has not the kind of the first waiter";
        }
        int waiting = 0;
        for (Waiter waiter = first; waiter != null; waiter = waiter.next) {
            boolean mayNotCount = waiter == first || waiter.waitTime == 0;
            if (waiter.isWaiting ? waiter.waitTime == 0 : !mayNotCount) {
                return "a waiter that counts for the limit, or does not, by mistake";
            }
            waiting += waiter.isWaiting ? 1 : 0;
            if (waiter.isWaiting && waiting > lock.rules.maxWaiters(waiter.request)) {
                return "more waiters than the limit permits";
            }
        }
        if (!lock.waiters.isFull(waiting) || lock.waiters.isFull(waiting + 1)) {
            return "the waiters are counted wrongly";
        }
        long permits = 0;
        long limit = Long.MAX_VALUE;
        int exclusive = 0;
        int shared = 0;
        for (Acquisition acquisition = lock.acquisitions; acquisition != null; acquisition = acquisition.next) {
            if (acquisition.phase == Phase.OVER
                    || (acquisition.phase == Phase.ASKING) != (acquisition == lock.candidate)) {
                return "an acquisition in phase " + acquisition.phase;
            }
            if (acquisition.phase == Phase.HELD) {
                boolean areLive = acquisition.grant != null;
                for (Grant grant = acquisition.grant; grant != null; grant = grant.next) {
                    areLive &= grant.isLive();
                }
                if (!areLive) {
                    return "a held acquisition without a live grant";
                }
                if (acquisition.isShared() && acquisition.kind.mode() != LockMode.READ) {
                    return "several owners of an acquisition";
                }
                permits += acquisition.kind.weight();
                limit = acquisition.kind.mode() == LockMode.PERMIT
                        ? Math.max(limit == Long.MAX_VALUE ? 0 : limit, acquisition.kind.limit())
                        : limit;
                exclusive += acquisition.kind.isShared() ? 0 : 1;
                shared += acquisition.kind.isShared() ? 1 : 0;
            }
        }
        if (permits > limit || exclusive > 1 || (exclusive == 1 && shared > 0)) {
            return "held grants that do not fit together";
        }
        return null;
    }
}
