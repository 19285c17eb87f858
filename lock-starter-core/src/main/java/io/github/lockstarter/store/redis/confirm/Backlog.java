package io.github.lockstarter.store.redis.confirm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What waits to be confirmed at one master, in order of arrival. Not thread-safe. */
final class Backlog {

    /** Grants in one pair: few enough to block Redis for milliseconds only. */
    private static final int MOST_GRANTS = 1000;

    /** Renewals in one pair: callers wait for grants, which must not queue behind the renewals of 10,000 locks. */
    private static final int MOST_RENEWALS = 200;

    private final ArrayDeque<PendingConfirmation> grants = new ArrayDeque<>();

    private final ArrayDeque<PendingConfirmation> renewals = new ArrayDeque<>();

    boolean isEmpty() {
        return this.grants.isEmpty() && this.renewals.isEmpty();
    }

    void add(PendingConfirmation confirmation) {
        queueOf(confirmation).addLast(confirmation);
    }

    /** Puts confirmations that were taken before the others again. */
    void putBack(List<PendingConfirmation> taken) {
        for (int i = taken.size() - 1; i >= 0; i--) {
            queueOf(taken.get(i)).addFirst(taken.get(i));
        }
    }

    private ArrayDeque<PendingConfirmation> queueOf(PendingConfirmation confirmation) {
        return confirmation.isGrant() ? this.grants : this.renewals;
    }

    /** Removes all for which nothing waits any more, and returns them. */
    List<PendingConfirmation> takeOverdue(long now) {
        List<PendingConfirmation> overdue = new ArrayList<>();
        takeOverdue(this.grants, now, overdue);
        takeOverdue(this.renewals, now, overdue);
        return overdue;
    }

    private static void takeOverdue(
            ArrayDeque<PendingConfirmation> queue, long now, List<PendingConfirmation> overdue) {
        while (!queue.isEmpty() && queue.getFirst().isOverdue(now)) {
            overdue.add(queue.removeFirst());
        }
    }

    /** Removes the confirmations of the next pair, and returns them. */
    List<PendingConfirmation> takePair() {
        List<PendingConfirmation> taken = new ArrayList<>();
        take(this.grants, MOST_GRANTS, taken);
        take(this.renewals, MOST_RENEWALS, taken);
        return taken;
    }

    private static void take(ArrayDeque<PendingConfirmation> queue, int most, List<PendingConfirmation> taken) {
        for (int i = 0; i < most && !queue.isEmpty(); i++) {
            taken.add(queue.removeFirst());
        }
    }

    /** Removes all confirmations, and returns them. */
    List<PendingConfirmation> takeAll() {
        List<PendingConfirmation> all = new ArrayList<>(this.grants);
        all.addAll(this.renewals);
        this.grants.clear();
        this.renewals.clear();
        return all;
    }
}
