package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds violations of the rules in a history, by its events alone. It does not check whether a refusal is a fact, and
 * whether a free lock is granted; the simulation does.
 */
final class HistoryChecker {

    /** A notice is due before the lease ends. A standstill of up to this length is not logged, and may delay it. */
    private static final Duration LATE_NOTICE = HistoryWorker.UNREPORTED_STANDSTILL;

    /** A busy machine may let a thread wait this long for its turn. */
    private static final Duration LATE_TURN = Duration.ofMillis(500);

    private final History history;

    /** Nanoseconds that a command may take. */
    private final long command;

    /** Nanoseconds by which a notice may be later than the next grant. */
    private final long lateNotice;

    /** Nanoseconds by which a wait may end later than the command allows. */
    private final long lateTurn;

    private final List<Violation> violations = new ArrayList<>();

    private HistoryChecker(History history, Duration command, Duration lateNotice, Duration lateTurn) {
        this.history = history;
        this.command = command.toNanos();
        this.lateNotice = lateNotice.toNanos();
        this.lateTurn = lateTurn.toNanos();
    }

    static List<Violation> violations(History history, Duration command) {
        return violations(history, command, LATE_NOTICE, LATE_TURN);
    }

    static List<Violation> violations(History history, Duration command, Duration lateNotice, Duration lateTurn) {
        HistoryChecker checker = new HistoryChecker(history, command, lateNotice, lateTurn);
        history.beliefs().forEach(checker::belief);
        history.grants().forEach(checker::tokens);
        checker.notice();
        history.grants().values().forEach(checker::release);
        checker.waiting();
        return checker.violations;
    }

    /** No two owners ever believe in the same lock at the same time. */
    private void belief(String lock, List<Attempt> grants) {
        Attempt longest = null;
        for (Attempt each : grants) {
            if (longest != null && longest.endOfBelief() > each.granted().at()) {
                add(
                        Rule.BELIEF,
                        longest,
                        each,
                        "Two owners of '" + lock + "': " + longest + " since " + longest.granted()
                                + " could believe in it until " + longest.endOfBelief() + ", but " + each
                                + " had it at " + each.granted());
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
                add(
                        Rule.TOKENS,
                        other,
                        each,
                        "The same token of '" + lock + "' for two: " + other.granted() + " and " + each.granted());
            }
        }
        List<Attempt> asked = grants.stream()
                .sorted(Comparator.comparingLong(attempt -> attempt.invoked().at()))
                .toList();
        Attempt largest = null;
        int known = 0;
        for (Attempt each : asked) {
            while (known < grants.size()
                    && grants.get(known).granted().at() < each.invoked().at()) {
                Attempt before = grants.get(known++);
                largest = largest == null || before.token() > largest.token() ? before : largest;
            }
            if (largest != null && each.token() < largest.token()) {
                add(
                        Rule.TOKENS,
                        largest,
                        each,
                        "A token of '" + lock + "' is smaller than one before: " + largest.granted() + ", then "
                                + each.invoked() + " and " + each.granted());
            }
        }
    }

    /**
     * The owner of a lost lock is notified before the next owner has it, or, if it stood still, as soon as it runs
     * again. It does not see the lock held afterwards.
     */
    private void notice() {
        for (Attempt each : this.history.attempts()) {
            Event lost = each.lost();
            if (lost != null && each.lastSeenHeld() > lost.at()) {
                this.violations.add(new Violation(
                        Rule.NOTICE,
                        each.name(),
                        each.lastSeenHeld(),
                        "Held after the notice of its loss: " + each + " was notified at " + lost
                                + ", and saw it held at " + each.lastSeenHeld()));
            }
        }
        this.history.beliefs().forEach((lock, grants) -> {
            for (int i = 0; i + 1 < grants.size(); i++) {
                Attempt owner = grants.get(i);
                Attempt next = grants.get(i + 1);
                if (isLate(owner, next)) {
                    add(
                            Rule.NOTICE,
                            owner,
                            next,
                            "No notice in time that '" + lock + "' is lost: " + owner + " since " + owner.granted()
                                    + (owner.lost() == null
                                            ? " was never notified"
                                            : " was notified at " + owner.lost())
                                    + ", but " + next + " had it at " + next.granted());
                }
            }
        });
    }

    private boolean isLate(Attempt owner, Attempt next) {
        long taken = next.granted().at();
        Event release = owner.release();
        if (release != null && release.at() <= taken) {
            return false;
        }
        // The release of a lost lease reports the loss.
        long notified = owner.endOfWork();
        long until = Math.min(this.history.end(), this.history.killedAt(owner.instance()));
        if (notified == Long.MAX_VALUE && until - taken < this.lateNotice) {
            return false;
        }
        long stoodStill = this.history.stoodStill(owner.instance(), taken, Math.min(notified, until));
        return notified - this.lateNotice - stoodStill > taken;
    }

    /**
     * If a lock was requested after an owner had it, and granted before that owner began to release it, then its
     * release reports that it was not held.
     */
    private void release(List<Attempt> grants) {
        for (int i = 0; i + 1 < grants.size(); i++) {
            Attempt owner = grants.get(i);
            Event release = owner.release();
            Event released = owner.released();
            if (release == null || released == null || released.kind() != EventKind.RELEASED) {
                continue;
            }
            grants.subList(i + 1, grants.size()).stream()
                    .takeWhile(next -> next.granted().at() < release.at())
                    .filter(next -> next.invoked().at() > owner.granted().at())
                    .findFirst()
                    .ifPresent(next -> add(
                            Rule.RELEASE,
                            owner,
                            next,
                            "The release of '" + owner.lock() + "' by " + owner + " at " + release
                                    + " did not report its loss, but " + next + " had it at " + next.granted()));
        }
    }

    /** Each wait ends in time. */
    private void waiting() {
        for (Attempt each : this.history.attempts()) {
            Event ended = each.ended();
            long end =
                    ended != null ? ended.at() : Math.min(this.history.end(), this.history.killedAt(each.instance()));
            long stoodStill =
                    this.history.stoodStill(each.instance(), each.invoked().time(), end);
            if (end - each.invoked().time() - this.command - this.lateTurn > stoodStill) {
                this.violations.add(new Violation(
                        Rule.WAITING,
                        each.name(),
                        end,
                        "A wait for '" + each.lock() + "' did not end in time: " + each.invoked()
                                + (ended == null ? " has no end" : " ended with " + ended)));
            }
        }
    }

    private void add(Rule rule, Attempt owner, Attempt next, String text) {
        this.violations.add(new Violation(rule, owner.name(), next.granted().at(), text));
    }
}
