package io.github.lockstarter.leader;

import io.github.lockstarter.testsupport.history.Event;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds what violates the promises of leader roles in a history of one role.
 *
 * <p>A belief needs no exception for a process that is paused: it is the time in which {@code isLeader} was true by its
 * own clock. What a process does later than another instance leads is excused by as long as the process stood still,
 * and a moment for its threads. Two may lead after the keys of Redis were lost, for a third of the lease.
 */
final class LeaderRules {

    private static final long LEASE = LeaderWorker.LEASE.toNanos();

    /** A leader notices at its next renewal that Redis was emptied. The command may be late. */
    private static final long AFTER_EMPTIED = LEASE / 3 + TimeUnit.MILLISECONDS.toNanos(500);

    /** Time after a standstill in which the threads of a process run again. */
    private static final long AFTER_STANDSTILL = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long UNTIL_NEXT = Duration.ofMillis(100).toNanos();

    private static final long UNTIL_NEXT_AFTER_CRASH =
            LeaderWorker.LEASE.plusSeconds(1).toNanos();

    /** Time after a trouble of Redis or of the network in which instances connect and contend again. */
    private static final long RECOVERY = TimeUnit.SECONDS.toNanos(2);

    /** Time after which a new instance has a connection for messages; before, it polls. */
    private static final long LISTENING = TimeUnit.SECONDS.toNanos(1);

    private final History history;

    private final Map<String, List<Epoch>> epochs = new TreeMap<>();

    /** The beliefs of all instances in the order of their beginnings. */
    private final List<Span> beliefs = new ArrayList<>();

    /** The events of instances that noticed that they lead; one that is killed soon afterwards has no belief. */
    private final List<Event> leading = new ArrayList<>();

    private final List<Span> beans = new ArrayList<>();

    private final List<Span> calls = new ArrayList<>();

    private final List<Event> emptied;

    private final List<String> violations = new ArrayList<>();

    private final Map<String, List<Long>> times = new TreeMap<>();

    LeaderRules(History history) {
        this.history = history;
        this.emptied = history.events(EventKind.FAULT)
                .filter(event ->
                        event.text().startsWith("REDIS_EMPTIED") || event.text().startsWith("REDIS_RESTARTED"))
                .toList();
        history.events().stream()
                .map(Event::instance)
                .distinct()
                .filter(instance -> !instance.equals(LeaderFleet.NEMESIS))
                .forEach(this::read);
        for (List<Span> spans : List.of(this.beliefs, this.beans, this.calls)) {
            spans.sort(Comparator.comparingLong(Span::from));
        }
        oneLeader();
        excluded("a listener of a revocation", revocations());
        excluded("a bean", this.beans);
        excluded("a call", this.calls);
        alone(this.beans);
        alone(this.calls);
        tokens();
        timesWithoutLeader();
    }

    List<String> violations() {
        return this.violations;
    }

    long epochs() {
        return this.epochs.values().stream().mapToLong(List::size).sum();
    }

    /** Returns the times without a leader in milliseconds, by their cause. */
    Map<String, List<Long>> times() {
        return this.times;
    }

    /** Reads the events of one instance, and checks their order. */
    private void read(String instance) {
        List<Epoch> all = this.epochs.computeIfAbsent(instance, key -> new ArrayList<>());
        Map<Long, Event> begun = new HashMap<>();
        Epoch open = null;
        Event bean = null;
        long ending = 0;
        List<Span> own = new ArrayList<>();
        for (Event event : this.history.events()) {
            if (!event.instance().equals(instance)) {
                continue;
            }
            switch (event.kind()) {
                case GRANTED -> {
                    check(open == null, "two grants without a revocation between them", event);
                    check(bean == null, "a grant while a bean runs", event);
                    open = new Epoch(instance, event);
                    all.add(open);
                }
                case AT_RISK -> check(isOf(open, event), "a risk that is not that of the epoch", event);
                case REVOKED -> {
                    if (check(isOf(open, event), "a revocation that is not that of the epoch", event)) {
                        open.revoked = event;
                        open.ending = ending > open.granted.at() ? ending : event.at();
                    }
                    open = null;
                }
                case BEAN_STARTING -> {
                    check(isOf(open, event) && bean == null, "a bean starts twice or without leadership", event);
                    bean = event;
                    if (open != null) {
                        open.isDeaf = event.text().equals("deaf");
                    }
                }
                case BEAN_STOPPED -> {
                    check(open == null && bean != null, "a bean stops that does not run, or before the event", event);
                    if (bean != null) {
                        Epoch last = all.get(all.size() - 1);
                        last.beanStopped = event;
                        this.beans.add(new Span(instance, bean.at(), event.at(), last));
                    }
                    bean = null;
                }
                case CALL_BEGUN -> begun.put(event.attempt(), event);
                case CALL_ENDED -> {
                    Event begin = begun.remove(event.attempt());
                    if (begin != null) {
                        addCall(instance, begin, event.at(), all);
                    }
                }
                case STATE -> {
                    if (open != null && event.text().equals(LeaderWorker.CLOSES)) {
                        open.isClosing = true;
                    } else if (event.text().equals("ending")) {
                        ending = event.at();
                    } else if (event.text().equals("leader")) {
                        this.leading.add(event);
                    }
                }
                case LED -> own.add(new Span(instance, event.time(), event.at(), null));
                default -> {}
            }
        }
        long end = Math.min(this.history.killedAt(instance), this.history.end());
        for (Event begin : begun.values()) {
            addCall(instance, begin, end, all);
        }
        boolean isKilled = isKilledBefore(instance, Long.MAX_VALUE);
        // A start that ignores its interrupt may outlast the stop of the process.
        isKilled |= open != null && open.isDeaf;
        if (bean != null) {
            check(isKilled, "a bean is never stopped", bean);
            this.beans.add(new Span(instance, bean.at(), end, all.get(all.size() - 1)));
        }
        if (open != null) {
            check(isKilled, "a grant is never revoked", open.granted);
        }
        addBeliefs(own, all);
    }

    private void addCall(String instance, Event begin, long end, List<Epoch> all) {
        Epoch epoch = all.stream()
                .filter(each -> each.token() == begin.token())
                .findFirst()
                .orElse(null);
        this.calls.add(new Span(instance, begin.at(), end, epoch));
        if (epoch != null) {
            epoch.lastCall = Math.max(epoch.lastCall, end);
        }
        if (begin.time() == 0) {
            long before = begin.at() - TimeUnit.SECONDS.toNanos(1);
            check(
                    this.history.stoodStill(instance, before, begin.at() + AFTER_STANDSTILL) > 0,
                    "a call begins without the lock",
                    begin);
        } else {
            // It acts as a leader at this time.
            this.beliefs.add(new Span(instance, begin.at(), begin.at(), null));
        }
    }

    /** Adds the beliefs of an instance, without the borders at which its log continues them. */
    private void addBeliefs(List<Span> parts, List<Epoch> all) {
        Span belief = null;
        List<Span> merged = new ArrayList<>();
        for (Span part : parts) {
            if (belief != null && belief.to() == part.from()) {
                belief = new Span(part.instance(), belief.from(), part.to(), null);
            } else {
                if (belief != null) {
                    merged.add(belief);
                }
                belief = part;
            }
        }
        if (belief != null) {
            merged.add(belief);
        }
        this.beliefs.addAll(merged);
        long last = Long.MIN_VALUE;
        for (Epoch epoch : all) {
            Event revoked = epoch.revoked;
            long begin = last;
            epoch.since = merged.stream()
                    .filter(span -> span.from() > begin && (revoked == null || span.from() < revoked.at()))
                    .mapToLong(Span::from)
                    .min()
                    .orElse(Long.MAX_VALUE);
            last = revoked != null ? revoked.at() : last;
            if (revoked != null) {
                merged.stream()
                        .filter(span -> span.from() < revoked.at() && revoked.at() < span.to())
                        .forEach(span -> add("a belief goes on after the revocation: " + span + ", " + revoked));
            }
        }
    }

    /** Two instances never lead at the same time, by their own belief. */
    private void oneLeader() {
        overlaps(this.beliefs, (first, second, end) -> {
            if (!isEmptiedBefore(second.from(), end)) {
                add("two leaders: " + first + " and " + second);
            } else {
                time("two leaders after the loss of the keys", end - second.from());
            }
        });
    }

    private List<Span> revocations() {
        List<Span> spans = new ArrayList<>();
        this.epochs.values().stream().flatMap(List::stream).forEach(epoch -> {
            Event revoked = epoch.revoked;
            if (revoked != null) {
                spans.add(new Span(epoch.instance, epoch.granted.at(), revoked.at(), epoch));
            }
        });
        return spans;
    }

    /** What happens in an epoch ends before a later leader leads. */
    private void excluded(String what, List<Span> spans) {
        for (Span span : spans) {
            Epoch epoch = span.epoch();
            if (epoch != null) {
                this.epochs.values().stream()
                        .flatMap(List::stream)
                        .filter(next -> next.token() > epoch.token() && !next.instance.equals(epoch.instance))
                        .mapToLong(next -> next.since)
                        .filter(since -> since < span.to())
                        .min()
                        .ifPresent(since -> late(what, span, since));
            }
        }
    }

    /** What only the leader has never runs on two instances. */
    private void alone(List<Span> spans) {
        overlaps(spans, (first, second, end) -> {
            boolean isFirstLate = token(first) < token(second);
            late("another of its kind", isFirstLate ? first : second, second.from());
        });
    }

    private static long token(Span span) {
        return span.epoch() != null ? span.epoch().token() : 0;
    }

    private void late(String what, Span span, long since) {
        long late = span.to() - since;
        Epoch epoch = span.epoch();
        long stoodStill = this.history.stoodStill(span.instance(), since - LEASE / 2, span.to());
        boolean isStarved = epoch != null && epoch.isLost() ? stoodStill > 0 : stoodStill > LEASE / 2;
        String excuse = null;
        if (epoch != null && epoch.isDeaf) {
            excuse = "a start that ignores its interrupt";
        } else if (isEmptiedBefore(since, span.to())) {
            excuse = "the loss of the keys";
        } else if (isStarved && late <= stoodStill + AFTER_STANDSTILL) {
            excuse = "a standstill";
        } else if (epoch != null && (epoch.isAbandoned() || epoch.isClosing)) {
            excuse = "an abandoned lease";
        }
        if (excuse != null) {
            time(what + " is late because of " + excuse, late);
        } else {
            add(what + " is " + TimeUnit.NANOSECONDS.toMillis(late) + " ms late, standstill "
                    + TimeUnit.NANOSECONDS.toMillis(stoodStill) + " ms: " + span + ", another instance since " + since);
        }
    }

    private boolean isEmptiedBefore(long since, long end) {
        return this.emptied.stream().anyMatch(event -> {
            // A leader that does not reach Redis then leads until the end of its lease.
            boolean isUnreachable = isTroubled(event.at(), event.at() + AFTER_EMPTIED, event.attempt());
            return event.at() < since && end < event.at() + (isUnreachable ? LEASE : AFTER_EMPTIED);
        });
    }

    /** Later leaders have larger epochs. */
    private void tokens() {
        List<Epoch> all = this.epochs.values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingLong(Epoch::token))
                .toList();
        for (int i = 1; i < all.size(); i++) {
            Epoch before = all.get(i - 1);
            Epoch next = all.get(i);
            boolean isLate =
                    this.history.stoodStill(before.instance, before.granted.at() - LEASE, before.granted.at()) > 0;
            if (before.token() == next.token() || (before.granted.at() > next.granted.at() && !isLate)) {
                add("epochs out of order: " + before.granted + ", " + next.granted);
            }
        }
    }

    private void timesWithoutLeader() {
        long longest = 0;
        long end = 0;
        for (Span belief : this.beliefs) {
            longest = end == 0 ? 0 : Math.max(longest, belief.from() - end);
            end = Math.max(end, belief.to());
        }
        time("the longest time without a leader", longest);
        this.epochs.values().stream().flatMap(List::stream).forEach(this::afterEnd);
        this.history.events(EventKind.KILLED).forEach(killed -> {
            if (!killed.text().equals(LeaderFleet.EXITED) && wasLeading(killed)) {
                afterTrouble("after a kill", killed, killed.at());
            }
        });
        List<Event> faults = this.history.events(EventKind.FAULT).toList();
        this.history
                .events(EventKind.HEALED)
                .filter(event -> Stream.of("PAUSED", "REDIS", "CUT_OFF").anyMatch(event.text()::startsWith))
                .forEach(healed -> {
                    afterTrouble("after the end of " + healed.text(), healed, healed.at());
                    if (healed.text().startsWith("PAUSED") || healed.text().startsWith("CUT_OFF")) {
                        faults.stream()
                                .filter(fault -> fault.attempt() == healed.attempt())
                                .filter(fault -> healed.at() - fault.at() > UNTIL_NEXT_AFTER_CRASH)
                                .forEach(fault ->
                                        afterTrouble("after the beginning of " + healed.text(), fault, fault.at()));
                    }
                });
    }

    private boolean isKilledBefore(String instance, long time) {
        return this.history
                .events(EventKind.KILLED)
                .filter(event -> event.lock().equals(instance) && event.at() < time)
                .anyMatch(event -> !event.text().equals(LeaderFleet.EXITED));
    }

    private boolean wasLeading(Event killed) {
        return this.epochs.getOrDefault(killed.lock(), List.of()).stream().anyMatch(epoch -> epoch.revoked == null);
    }

    private void afterTrouble(String what, Event event, long at) {
        long next = nextBelief(at);
        if (next == Long.MAX_VALUE || isTroubled(at, next, event.attempt())) {
            return;
        }
        time(what, next - at);
        if (next - at > UNTIL_NEXT_AFTER_CRASH + standstill(at, next)) {
            add("no leader in time " + what + ": " + TimeUnit.NANOSECONDS.toMillis(next - at) + " ms, " + event);
        }
    }

    /** After an orderly end, another instance that contends leads as soon as the last bean and call have ended. */
    private void afterEnd(Epoch epoch) {
        Event revoked = epoch.revoked;
        if (revoked == null || epoch.isLost() || epoch.isAbandoned() || epoch.isClosing) {
            return;
        }
        Event stopped = epoch.beanStopped;
        long at = Math.max(revoked.at(), Math.max(stopped != null ? stopped.at() : 0, epoch.lastCall));
        long next = nextBelief(at);
        if (next == Long.MAX_VALUE
                || isKilledBefore(epoch.instance, next)
                || isTroubled(revoked.at(), next, 0)
                || !isAwaited(epoch.instance, at)) {
            return;
        }
        long granted = Math.min(next, nextGrant(epoch));
        time("after " + revoked.text(), next - at);
        time("after " + revoked.text() + ", until the grant in Redis", Math.max(0, granted - at));
        if (granted - at > UNTIL_NEXT + standstill(at, granted)) {
            add("no leader in time after " + revoked.text() + ": " + TimeUnit.NANOSECONDS.toMillis(granted - at)
                    + " ms, " + revoked + ", end at " + at);
        }
    }

    /**
     * Returns when Redis granted the next epoch, which threads of a busy machine notice later. A fencing token is the
     * time of its grant in microseconds, by the clock of Redis, which is known from the grant that was noticed first.
     */
    private long nextGrant(Epoch epoch) {
        long offset = this.epochs.values().stream()
                .flatMap(List::stream)
                .mapToLong(each -> each.granted.at() - TimeUnit.MICROSECONDS.toNanos(each.token()))
                .min()
                .orElse(0);
        return this.epochs.values().stream()
                .flatMap(List::stream)
                .mapToLong(Epoch::token)
                .filter(token -> token > epoch.token())
                .map(token -> TimeUnit.MICROSECONDS.toNanos(token) + offset)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the first moment from then on at which an instance leads. */
    private long nextBelief(long at) {
        LongStream beliefs = this.beliefs.stream()
                .filter(belief -> belief.to() > at)
                .mapToLong(belief -> Math.max(at, belief.from()));
        LongStream noticed = this.leading.stream().mapToLong(Event::at).filter(time -> time > at);
        return LongStream.concat(beliefs, noticed).min().orElse(Long.MAX_VALUE);
    }

    /** Returns whether another instance has contended for some time, and is well. */
    private boolean isAwaited(String leader, long at) {
        Map<String, Event> states = new HashMap<>();
        this.history
                .events(EventKind.STATE)
                .filter(event -> event.at() < at)
                .forEach(event -> states.put(event.instance(), event));
        return states.values().stream()
                .anyMatch(state -> !state.instance().equals(leader)
                        && state.text().equals("contending")
                        && at - state.at() > LISTENING
                        && this.history.killedAt(state.instance()) > at);
    }

    /** Returns whether another trouble than that of the number prevents that an instance leads between two moments. */
    private boolean isTroubled(long from, long to, long number) {
        Map<Long, Event> open = new HashMap<>();
        for (Event event : this.history.events()) {
            boolean isHindering = event.text().startsWith("REDIS")
                    || event.text().startsWith("CUT_OFF")
                    || event.text().contains("AT_LOSS")
                    || event.text().startsWith("PAUSED");
            if (event.kind() == EventKind.FAULT && isHindering && event.at() <= to) {
                open.put(event.attempt(), event);
            } else if (event.kind() == EventKind.HEALED && event.at() + RECOVERY < from) {
                open.remove(event.attempt());
            }
        }
        open.remove(number);
        return !open.isEmpty();
    }

    /** Returns how long the instance that stood still for the longest time did so, or Redis. */
    private long standstill(long from, long to) {
        return Stream.concat(Stream.of(LeaderFleet.NEMESIS), this.epochs.keySet().stream())
                .mapToLong(instance -> this.history.stoodStill(instance, from, to))
                .max()
                .orElse(0);
    }

    private interface Overlap {

        void found(Span first, Span second, long end);
    }

    /** Finds the spans of different instances that overlap. They are in the order of their beginnings. */
    private static void overlaps(List<Span> spans, Overlap overlap) {
        for (int i = 0; i < spans.size(); i++) {
            Span first = spans.get(i);
            for (int j = i + 1; j < spans.size() && spans.get(j).from() < first.to(); j++) {
                Span second = spans.get(j);
                if (!second.instance().equals(first.instance())) {
                    overlap.found(first, second, Math.min(first.to(), second.to()));
                }
            }
        }
    }

    private static boolean isOf(@Nullable Epoch open, Event event) {
        return open != null && open.token() == event.token();
    }

    private boolean check(boolean condition, String problem, Event event) {
        if (!condition) {
            add(problem + ": " + event);
        }
        return condition;
    }

    private void add(String violation) {
        this.violations.add(violation);
    }

    private void time(String what, long nanos) {
        this.times.computeIfAbsent(what, key -> new ArrayList<>()).add(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(epochs() + " epochs; milliseconds as number: median, 95 %, largest\n");
        this.times.forEach((what, all) -> {
            List<Long> sorted = all.stream().sorted().toList();
            text.append(String.format(
                    "%5d: %6d %6d %6d  %s%n",
                    sorted.size(),
                    sorted.get(sorted.size() / 2),
                    sorted.get(Math.max(0, sorted.size() * 95 / 100 - (sorted.size() % 20 == 0 ? 1 : 0))),
                    sorted.get(sorted.size() - 1),
                    what));
        });
        return text.toString();
    }

    /** Something that an instance did or believed, from when to when. */
    private record Span(
            String instance, long from, long to, @Nullable Epoch epoch) {

        @Override
        public String toString() {
            return this.instance + " from " + this.from + " to " + this.to
                    + (this.epoch != null ? " in " + this.epoch : "");
        }
    }

    /** A leadership as its listeners saw it. */
    private static final class Epoch {

        final String instance;

        final Event granted;

        @Nullable
        Event revoked;

        @Nullable
        Event beanStopped;

        long lastCall;

        /** When the end began; a listener or a start may delay the revocation. */
        long ending;

        /** When this instance led for the first time in this epoch, as seen by others; the largest number if never. */
        long since = Long.MAX_VALUE;

        boolean isDeaf;

        /** Whether a listener or call closes the context, so that the lease runs out. */
        boolean isClosing;

        Epoch(String instance, Event granted) {
            this.instance = instance;
            this.granted = granted;
        }

        long token() {
            return this.granted.token();
        }

        boolean isLost() {
            return this.revoked != null && this.revoked.text().equals("LOST");
        }

        /** Returns whether its end took so long that the lease was left to run out. */
        boolean isAbandoned() {
            long end = this.beanStopped != null ? Math.max(this.beanStopped.at(), this.lastCall) : this.lastCall;
            long limit = LeaderWorker.STOP_TIMEOUT.toNanos() * 9 / 10;
            return this.revoked != null && !isLost() && end - this.ending > limit;
        }

        @Override
        public String toString() {
            return "[" + this.granted + " to " + this.revoked + ", bean until " + this.beanStopped + "]";
        }
    }
}
