package io.github.lockstarter.history;

import io.github.lockstarter.history.Troubles.Span;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Says what in a history must not be. Looks at events alone: it knows nothing of how a lock works.
 *
 * <p>As a program: {@code HistoryChecker [lease=1000] [command=250] [poll=150] [slack=2000] file...}, times in
 * milliseconds. Prints the violations, and exits with 1 if there are any.
 */
public final class HistoryChecker {

    /** With an orderly line it is as many as there are others; whenever a lease runs out, the line begins anew. */
    private static final int PASSED_OVER = 20;

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
        checker.resource();
        checker.notice();
        checker.waiting();
        return checker.violations;
    }

    public static void main(String[] arguments) {
        Map<String, Long> times =
                new LinkedHashMap<>(Map.of("lease", 1000L, "command", 250L, "poll", 150L, "slack", 2000L));
        List<Path> files = new ArrayList<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            if (setting.length == 2 && times.containsKey(setting[0])) {
                times.put(setting[0], Long.valueOf(setting[1]));
            } else {
                files.add(Path.of(argument));
            }
        }
        History history = History.read(files);
        List<String> violations = violations(
                history,
                Limits.ofMillis(times.get("lease"), times.get("command"), times.get("poll"), times.get("slack")));
        violations.forEach(System.out::println);
        System.out.println(
                history.events().size() + " events, " + history.attempts().size() + " attempts, "
                        + history.count(EventKind.GRANTED) + " grants, " + violations.size() + " violations");
        System.exit(violations.isEmpty() ? 0 : 1);
    }

    /** No two owners ever believe in the same lock at the same time. */
    private void belief(String lock, List<Attempt> grants) {
        Attempt longest = null;
        for (Attempt each : grants) {
            if (longest != null && longest.endOfBelief() > each.granted().at()) {
                this.violations.add("belief: Two owners of '" + lock + "': " + longest + " since " + longest.granted()
                        + " could believe in it until " + longest.endOfBelief() + ", but " + each + " had it at "
                        + each.granted());
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
                this.violations.add("tokens: The same token of '" + lock + "' for two: " + other.granted() + " and "
                        + each.granted());
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
                this.violations.add("tokens: A token of '" + lock + "' is smaller than one before: " + largest.granted()
                        + ", then " + each.invoked() + " and " + each.granted());
            }
        }
    }

    /** A resource that looks at tokens accepts no smaller one after a larger one, and loses no update. */
    private void resource() {
        lostUpdates(this.history, Register.FENCED).forEach(lost -> this.violations.add("resource: " + lost));
        writesTo(this.history, Register.FENCED).forEach((lock, writes) -> {
            Event largest = null;
            for (Event write : writes) {
                if (largest != null && write.token() < largest.token()) {
                    this.violations.add("resource: The fenced resource of '" + lock
                            + "' accepted a smaller token after a larger one: " + largest + ", then " + write);
                }
                largest = largest == null || write.token() > largest.token() ? write : largest;
            }
        });
    }

    /** Updates of one sort of resource that others have overwritten unseen. */
    static List<String> lostUpdates(History history, String resource) {
        List<String> violations = new ArrayList<>();
        writesTo(history, resource).forEach((lock, writes) -> {
            Map<String, Event> followers = new HashMap<>();
            for (Event write : writes) {
                Event other = followers.put(write.text(), write);
                if (other != null) {
                    violations.add("An update of the " + resource + " resource of '" + lock + "' is lost: " + other
                            + " was overwritten by " + write + ", which had not seen it");
                }
            }
        });
        return violations;
    }

    private static Map<String, List<Event>> writesTo(History history, String resource) {
        return history.events(EventKind.ACCEPTED)
                .filter(event -> Objects.equals(event.text().split(" ", 2)[0], resource))
                .sorted(Comparator.comparingLong(Event::time))
                .collect(Collectors.groupingBy(Event::lock));
    }

    /**
     * Whoever loses a lock is told before somebody else has it, or as soon as it can hear again if it stood still; and who
     * was told does not see it held afterwards.
     */
    private void notice() {
        for (Attempt each : this.history.attempts()) {
            if (each.lost() != null && each.lastSeenHeld() > each.lost().at()) {
                this.violations.add("notice: Held after the notice of its loss: " + each + " was told at " + each.lost()
                        + ", and saw it held at " + each.lastSeenHeld());
            }
        }
        this.history.beliefs().forEach((lock, grants) -> {
            for (int i = 0; i + 1 < grants.size(); i++) {
                Attempt owner = grants.get(i);
                Attempt next = grants.get(i + 1);
                if (isLate(owner, next)) {
                    this.violations.add("notice: Not told in time that '" + lock + "' is lost: " + owner + " since "
                            + owner.granted()
                            + (owner.lost() == null ? " was never told" : " was told at " + owner.lost()) + ", but "
                            + next + " had it at " + next.granted());
                }
            }
        });
    }

    private boolean isLate(Attempt owner, Attempt next) {
        long taken = next.granted().at();
        if (owner.release() != null && owner.release().at() <= taken) {
            return false;
        }
        long told = owner.lost() != null ? owner.lost().at() : Long.MAX_VALUE;
        if (owner.release() != null) {
            // who releases a lost lease is told then
            told = Math.min(told, owner.release().at());
        }
        long until = Math.min(this.history.end(), this.troubles.killedAt(owner.instance()));
        if (told == Long.MAX_VALUE && until - taken < this.limits.slack()) {
            return false;
        }
        long stoodStill =
                this.troubles.stoodStill(owner.instance(), owner.granted().at(), Math.min(told, until));
        return told - this.limits.slack() - stoodStill > taken;
    }

    /** Waiting ends in time; nobody waits for a lock that nobody has, and a refusal has an owner to blame. */
    private void waiting() {
        Tenures tenures = new Tenures(this.history, this.limits, this.troubles);
        Map<String, List<Attempt>> grants = this.history.grants();
        long patience = this.limits.lease() + this.limits.command() + this.limits.slack();
        for (Attempt each : this.history.attempts()) {
            Event ended = each.ended();
            long end =
                    ended != null ? ended.at() : Math.min(this.history.end(), this.troubles.killedAt(each.instance()));
            long stoodStill =
                    this.troubles.stoodStill(each.instance(), each.invoked().at(), end);
            if (end - each.invoked().time() - this.limits.command() - this.limits.slack() > stoodStill) {
                this.violations.add("waiting: A wait for '" + each.lock() + "' did not end in time: " + each.invoked()
                        + (ended == null ? " has no end" : " ended with " + ended));
            }
            if (each.hasEndedWith(EventKind.NOT_GRANTED) && !tenures.someoneElseDuring(each)) {
                this.violations.add("honesty: Told that somebody else had '" + each.lock()
                        + "', but nobody can have had it: " + each.invoked() + ", " + ended);
            }
            if (end - each.invoked().at() > patience) {
                Span free = tenures.longestFreeTimeDuring(each);
                if (free.to() - free.from() > patience) {
                    this.violations.add("waiting: Nobody had '" + each.lock() + "' from " + free.from() + " to "
                            + free.to() + ", but " + each.invoked() + " did not get it then"
                            + (ended == null ? "" : ": " + ended));
                }
                Attempt last = passedOver(each, end, grants.getOrDefault(each.lock(), List.of()));
                if (last != null) {
                    this.violations.add("waiting: A wait for '" + each.lock() + "' was passed over " + PASSED_OVER
                            + " times: " + each.invoked() + ", the last time by " + last.granted());
                }
            }
        }
    }

    /** The grant with which the lock has changed among others once too often; null: it has not. */
    private Attempt passedOver(Attempt waiter, long end, List<Attempt> grants) {
        long since = this.troubles.calmFrom(waiter.instance(), waiter.invoked().at());
        String owner = waiter.instance();
        int count = 0;
        for (Attempt each : grants) {
            long at = each.granted().at();
            if (at > since && at < end) {
                boolean ours = each.instance().equals(waiter.instance());
                if (ours || this.troubles.touch(waiter.instance(), since, at)) {
                    since = Math.max(at, this.troubles.calmFrom(waiter.instance(), at));
                    count = 0;
                } else if (!each.instance().equals(owner) && ++count == PASSED_OVER) {
                    return each;
                }
                owner = each.instance();
            }
        }
        return null;
    }
}
