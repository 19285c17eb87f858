package io.github.lockstarter.history;

import io.github.lockstarter.history.Troubles.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Says what in a history must not be. Looks at events alone: it knows nothing of how a lock works.
 */
final class HistoryChecker {

    private final History history;

    private final Limits limits;

    private final Troubles troubles;

    private final List<String> violations = new ArrayList<>();

    private HistoryChecker(History history, Limits limits) {
        this.history = history;
        this.limits = limits;
        this.troubles = new Troubles(history);
    }

    /** What contradicts the rules, each with the name of its rule before it. */
    static List<String> violations(History history, Limits limits) {
        HistoryChecker checker = new HistoryChecker(history, limits);
        history.beliefs().forEach(checker::belief);
        history.grants().forEach(checker::tokens);
        checker.notice();
        checker.waiting();
        return checker.violations;
    }

    /** No two owners ever believe in the same lock at the same time. */
    private void belief(String lock, List<Attempt> grants) {
        Attempt longest = null;
        for (Attempt each : grants) {
            if (longest != null && longest.endOfBelief() > each.granted.at()) {
                this.violations.add("belief: Two owners of '" + lock + "': " + longest + " since " + longest.granted
                        + " could believe in it until " + longest.endOfBelief() + ", but " + each + " had it at "
                        + each.granted);
            }
            longest = longest == null || each.endOfBelief() > longest.endOfBelief() ? each : longest;
        }
    }

    /** Each grant has a token of its own, larger than those of all grants that were known before it was asked for. */
    private void tokens(String lock, List<Attempt> grants) {
        Map<Long, Attempt> owners = new HashMap<>();
        for (Attempt each : grants) {
            Attempt other = owners.put(each.token(), each);
            if (other != null) {
                this.violations.add(
                        "tokens: The same token of '" + lock + "' for two: " + other.granted + " and " + each.granted);
            }
        }
        List<Attempt> asked = grants.stream()
                .sorted(Comparator.comparingLong(attempt -> attempt.invoked.at()))
                .toList();
        Attempt largest = null;
        int known = 0;
        for (Attempt each : asked) {
            while (known < grants.size() && grants.get(known).granted.at() < each.invoked.at()) {
                Attempt before = grants.get(known++);
                largest = largest == null || before.token() > largest.token() ? before : largest;
            }
            if (largest != null && each.token() < largest.token()) {
                this.violations.add("tokens: A token of '" + lock + "' is smaller than one before: " + largest.granted
                        + ", then " + each.invoked + " and " + each.granted);
            }
        }
    }

    /**
     * The owner of a lost lock is notified before the next owner has it, or, if it stood still, as soon as it runs again. It does
     * not see the lock held afterwards.
     */
    private void notice() {
        for (Attempt each : this.history.attempts()) {
            if (each.lost != null && each.lastSeenHeld > each.lost.at()) {
                this.violations.add("notice: Held after the notice of its loss: " + each + " was told at " + each.lost
                        + ", and saw it held at " + each.lastSeenHeld);
            }
        }
        this.history.beliefs().forEach((lock, grants) -> {
            for (int i = 0; i + 1 < grants.size(); i++) {
                Attempt owner = grants.get(i);
                Attempt next = grants.get(i + 1);
                if (isLate(owner, next)) {
                    this.violations.add("notice: Not told in time that '" + lock + "' is lost: " + owner + " since "
                            + owner.granted
                            + (owner.lost == null ? " was never told" : " was told at " + owner.lost) + ", but "
                            + next + " had it at " + next.granted);
                }
            }
        });
    }

    private boolean isLate(Attempt owner, Attempt next) {
        long taken = next.granted.at();
        if (owner.release != null && owner.release.at() <= taken) {
            return false;
        }
        long told = owner.lost != null ? owner.lost.at() : Long.MAX_VALUE;
        if (owner.release != null) {
            // who releases a lost lease is told then
            told = Math.min(told, owner.release.at());
        }
        long until = Math.min(this.history.end(), this.troubles.killedAt(owner.instance()));
        if (told == Long.MAX_VALUE && until - taken < this.limits.slack()) {
            return false;
        }
        long stoodStill = this.troubles.stoodStill(owner.instance(), owner.granted.at(), Math.min(told, until));
        return told - this.limits.slack() - stoodStill > taken;
    }

    /** Waiting ends in time; nobody waits for a lock that nobody has, and a refusal has an owner to blame. */
    private void waiting() {
        Tenures tenures = new Tenures(this.history, this.limits, this.troubles);
        long patience = this.limits.lease() + this.limits.command() + this.limits.slack();
        for (Attempt each : this.history.attempts()) {
            Event ended = each.ended;
            long end =
                    ended != null ? ended.at() : Math.min(this.history.end(), this.troubles.killedAt(each.instance()));
            long stoodStill = this.troubles.stoodStill(each.instance(), each.invoked.at(), end);
            if (end - each.invoked.time() - this.limits.command() - this.limits.slack() > stoodStill) {
                this.violations.add("waiting: A wait for '" + each.lock() + "' did not end in time: " + each.invoked
                        + (ended == null ? " has no end" : " ended with " + ended));
            }
            if (each.hasEndedWith(EventKind.NOT_GRANTED) && !tenures.someoneElseDuring(each)) {
                this.violations.add("honesty: Told that somebody else had '" + each.lock()
                        + "', but nobody can have had it: " + each.invoked + ", " + ended);
            }
            if (end - each.invoked.at() > patience) {
                Span free = tenures.longestFreeTimeDuring(each);
                if (free.to() - free.from() > patience) {
                    this.violations.add("waiting: Nobody had '" + each.lock() + "' from " + free.from() + " to "
                            + free.to() + ", but " + each.invoked + " did not get it then"
                            + (ended == null ? "" : ": " + ended));
                }
            }
        }
    }
}
