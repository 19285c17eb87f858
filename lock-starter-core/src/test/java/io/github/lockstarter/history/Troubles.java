package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What was wrong with the world, and when. */
final class Troubles {

    /** In place of an instance: all of them. */
    static final String ALL = "*";

    private final Map<String, List<Span>> faults = new HashMap<>();

    private final Map<String, List<Span>> standstills = new HashMap<>();

    private final Map<String, Long> killed = new HashMap<>();

    Troubles(History history) {
        Map<Long, Event> open = new HashMap<>();
        for (Event event : history.events()) {
            switch (event.kind()) {
                case FAULT -> open.put(event.attempt(), event);
                case HEALED -> {
                    Event begin = open.remove(event.attempt());
                    if (begin != null) {
                        fault(begin.lock(), begin.at(), event.at());
                    }
                }
                case KILLED -> this.killed.put(event.lock(), event.at());
                case STOOD_STILL -> {
                    fault(event.instance(), event.time(), event.at());
                    this.standstills
                            .computeIfAbsent(event.instance(), any -> new ArrayList<>())
                            .add(new Span(event.time(), event.at()));
                }
                default -> {
                    // no trouble
                }
            }
        }
        open.values().forEach(begin -> fault(begin.lock(), begin.at(), Long.MAX_VALUE));
        this.faults.values().forEach(spans -> spans.sort(Comparator.comparingLong(Span::from)));
    }

    private void fault(String instance, long from, long to) {
        this.faults.computeIfAbsent(instance, any -> new ArrayList<>()).add(new Span(from, to));
    }

    /** Whether anything was wrong for that instance in that time. */
    boolean touch(String instance, long from, long to) {
        return of(instance).stream().anyMatch(span -> span.overlaps(from, to));
    }

    /** The first moment from that one on at which nothing is wrong for the instance. */
    long calmFrom(String instance, long moment) {
        long calm = moment;
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Span span : of(instance)) {
                if (span.from() <= calm && calm < span.to()) {
                    calm = span.to();
                    moved = true;
                }
            }
        }
        return calm;
    }

    private List<Span> of(String instance) {
        List<Span> all = new ArrayList<>(this.faults.getOrDefault(instance, List.of()));
        if (!instance.equals(ALL)) {
            all.addAll(this.faults.getOrDefault(ALL, List.of()));
        }
        return all;
    }

    /** How long an instance stood still between those moments. */
    long stoodStill(String instance, long from, long to) {
        return this.standstills.getOrDefault(instance, List.of()).stream()
                .mapToLong(span -> span.within(from, to))
                .sum();
    }

    boolean isKilled(String instance) {
        return this.killed.containsKey(instance);
    }

    /** When it was killed; the end of time if it was not. */
    long killedAt(String instance) {
        return this.killed.getOrDefault(instance, Long.MAX_VALUE);
    }

    /** From one moment to another, in nanoseconds. */
    record Span(long from, long to) {

        boolean overlaps(long otherFrom, long otherTo) {
            return this.from < otherTo && otherFrom < this.to;
        }

        /** How much of it lies between those moments. */
        long within(long otherFrom, long otherTo) {
            return Math.max(0, Math.min(this.to, otherTo) - Math.max(this.from, otherFrom));
        }
    }
}
