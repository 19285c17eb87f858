package io.github.lockstarter.history;

import io.github.lockstarter.history.Troubles.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When somebody may have had a lock in the store, at most: from the moment an attempt began until it has given the lock
 * back, or until nothing of it can be left. What is outside of that, nobody had.
 */
final class Tenures {

    /** Somebody who may have had it; null: nobody, for nobody's sake. */
    private record Tenure(Attempt attempt, Span span) {}

    private final History history;

    private final Limits limits;

    private final Troubles troubles;

    private final Map<String, List<Tenure>> byLock = new HashMap<>();

    Tenures(History history, Limits limits, Troubles troubles) {
        this.history = history;
        this.limits = limits;
        this.troubles = troubles;
        for (Attempt attempt : history.attempts()) {
            Span span = spanOf(attempt);
            if (span.from() < span.to()) {
                add(attempt.lock(), new Tenure(attempt, span));
            }
        }
        this.byLock
                .values()
                .forEach(list ->
                        list.sort(Comparator.comparingLong(each -> each.span().from())));
    }

    private void add(String lock, Tenure tenure) {
        this.byLock.computeIfAbsent(lock, any -> new ArrayList<>()).add(tenure);
    }

    private Span spanOf(Attempt attempt) {
        long from = attempt.invoked.at();
        if (attempt.ended == null || attempt.hasEndedWith(EventKind.UNKNOWN)) {
            return new Span(from, runsOut(attempt, lastSign(attempt)));
        }
        if (attempt.hasEndedWith(EventKind.WITHDRAWN)) {
            // perhaps in the moment in which it was granted
            return new Span(from, orRunsOut(attempt, attempt.ended.at() + this.limits.tail()));
        }
        if (!attempt.isGranted()) {
            // told no, and yet an attempt of it may be on its way, if the way was bad
            long end = attempt.ended.at();
            return new Span(end, orRunsOut(attempt, end));
        }
        if (attempt.isReleased()) {
            return new Span(from, orRunsOut(attempt, attempt.released.at() + this.limits.tail()));
        }
        return new Span(from, runsOut(attempt, lastSign(attempt)));
    }

    /** The last moment at which the attempt, or its renewals, may have sent something. */
    private long lastSign(Attempt attempt) {
        if (this.troubles.isKilled(attempt.instance())) {
            return this.troubles.killedAt(attempt.instance());
        }
        Event last = attempt.released != null ? attempt.released : attempt.lost;
        if (last == null && !attempt.isGranted()) {
            last = attempt.ended;
        }
        return last != null ? Math.max(last.at(), attempt.believedUntil) : Long.MAX_VALUE;
    }

    /** That moment; or, if the way was bad and something can come late, when nothing of it is left. */
    private long orRunsOut(Attempt attempt, long end) {
        boolean bad = this.troubles.touch(attempt.instance(), attempt.invoked.at() - this.limits.command(), end);
        return bad ? runsOut(attempt, end) : end;
    }

    private long runsOut(Attempt attempt, long lastSign) {
        long calm = this.troubles.calmFrom(attempt.instance(), lastSign);
        long most = this.limits.lease() + this.limits.tail();
        return calm > Long.MAX_VALUE - most ? Long.MAX_VALUE : calm + most;
    }

    /** Whether anybody else may have had the lock at any moment of an attempt. */
    boolean someoneElseDuring(Attempt attempt) {
        long from = attempt.invoked.at();
        long to = attempt.ended.at();
        return this.byLock.getOrDefault(attempt.lock(), List.of()).stream()
                .anyMatch(each -> each.attempt() != attempt && each.span().overlaps(from, to));
    }

    /** The longest time during an attempt in which nobody else had the lock, and nothing was wrong for it. */
    Span longestFreeTimeDuring(Attempt attempt) {
        long end = attempt.ended != null ? attempt.ended.at() : this.history.end();
        List<Span> others = this.byLock.getOrDefault(attempt.lock(), List.of()).stream()
                .filter(each -> each.attempt() != attempt && each.span().overlaps(attempt.invoked.at(), end))
                .map(this::atLeast)
                .sorted(Comparator.comparingLong(Span::from))
                .toList();
        Span longest = new Span(0, 0);
        long free = attempt.invoked.at();
        for (Span other : others) {
            longest = longer(attempt, longest, free, Math.min(other.from(), end));
            free = Math.max(free, other.to());
        }
        return longer(attempt, longest, free, end);
    }

    /** Who was granted a lock had waited for it before: it had it when the store said so, which it learned soon. */
    private Span atLeast(Tenure tenure) {
        Attempt attempt = tenure.attempt();
        if (attempt == null || !attempt.isGranted()) {
            return tenure.span();
        }
        long learned = attempt.granted.at() - this.limits.tail();
        return new Span(Math.max(tenure.span().from(), learned), tenure.span().to());
    }

    private Span longer(Attempt attempt, Span longest, long from, long to) {
        boolean isLonger = to - from > longest.to() - longest.from();
        return isLonger && !this.troubles.touch(attempt.instance(), from, to) ? new Span(from, to) : longest;
    }
}
