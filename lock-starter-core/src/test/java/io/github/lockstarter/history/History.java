package io.github.lockstarter.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What happened, in that order, and what it means for each attempt to get a lock. Immutable. */
final class History {

    private final List<Event> events;

    List<Event> events() {
        return this.events;
    }

    Stream<Event> events(EventKind kind) {
        return this.events.stream().filter(event -> event.kind() == kind);
    }

    private final List<Event> standstills;

    private final List<Event> killed;

    private final List<Attempt> attempts;

    List<Attempt> attempts() {
        return this.attempts;
    }

    History(Collection<Event> events) {
        this.events =
                events.stream().sorted(Comparator.comparingLong(Event::at)).toList();
        this.standstills = events(EventKind.STOOD_STILL).toList();
        this.killed = events(EventKind.KILLED).toList();
        this.attempts = attemptsOf(this.events);
    }

    /** The histories of several processes, put together. Empty lines and such with a {@code #} are no events. */
    static History read(Collection<Path> files) {
        List<Event> events = new ArrayList<>();
        for (Path file : files) {
            events.addAll(parse(text(file)));
        }
        return new History(events);
    }

    static History of(String text) {
        return new History(parse(text));
    }

    private static String text(Path file) {
        try {
            String text = Files.readString(file);
            // who was killed while it wrote has not finished its last line
            return text.substring(0, text.lastIndexOf('\n') + 1);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<Event> parse(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Event::parse)
                .toList();
    }

    private static List<Attempt> attemptsOf(List<Event> events) {
        Map<String, Attempt> byName = new LinkedHashMap<>();
        for (Event event : events) {
            if (event.kind() == EventKind.ACQUIRE) {
                Attempt attempt = new Attempt(event);
                byName.put(attempt.name(), attempt);
            }
        }
        for (Event event : events) {
            Attempt attempt = byName.get(Attempt.nameOf(event));
            if (attempt != null) {
                attempt.add(event);
            }
        }
        // listeners know the token, and not whose attempt it was
        Map<String, Attempt> byToken = new LinkedHashMap<>();
        byName.values().stream()
                .filter(Attempt::isGranted)
                .forEach(attempt -> byToken.put(attempt.lock() + ' ' + attempt.token(), attempt));
        for (Event event : events) {
            Attempt attempt = byToken.get(event.lock() + ' ' + event.token());
            if (attempt != null && event.attempt() == 0) {
                attempt.add(event);
            }
        }
        return List.copyOf(byName.values());
    }

    long count(EventKind kind) {
        return events(kind).count();
    }

    /** All grants, by lock, in the order in which they were learned of. */
    Map<String, List<Attempt>> grants() {
        return this.attempts.stream()
                .filter(Attempt::isGranted)
                .sorted(Comparator.comparingLong(attempt -> attempt.granted.at()))
                .collect(Collectors.groupingBy(Attempt::lock, TreeMap::new, Collectors.toList()));
    }

    /**
     * As {@link #grants()}, without those of which nothing was left when they arrived: their owners had nothing to
     * believe.
     */
    Map<String, List<Attempt>> beliefs() {
        Map<String, List<Attempt>> beliefs = grants();
        beliefs.values().forEach(grants -> grants.removeIf(grant -> !grant.wasBelieved()));
        return beliefs;
    }

    /** Returns how long an instance stood still between those moments. */
    long stoodStill(String instance, long from, long to) {
        return this.standstills.stream()
                .filter(event -> event.instance().equals(instance))
                .mapToLong(event -> Math.max(0, Math.min(event.at(), to) - Math.max(event.time(), from)))
                .sum();
    }

    /** Returns when an instance was killed; the largest number if it was not. */
    long killedAt(String instance) {
        return this.killed.stream()
                .filter(event -> event.lock().equals(instance))
                .mapToLong(Event::at)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** When it ends. */
    long end() {
        return this.events.isEmpty()
                ? 0
                : this.events.get(this.events.size() - 1).at();
    }
}
