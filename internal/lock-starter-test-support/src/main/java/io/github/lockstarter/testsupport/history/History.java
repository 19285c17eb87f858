package io.github.lockstarter.testsupport.history;

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

/** The events of several processes in the order of their times, and the attempts that they belong to. Immutable. */
public final class History {

    private final List<Event> events;

    private final List<Event> standstills;

    private final List<Event> killed;

    private final List<Attempt> attempts;

    public History(Collection<Event> events) {
        this.events =
                events.stream().sorted(Comparator.comparingLong(Event::at)).toList();
        this.standstills = this.events.stream()
                .filter(event -> event.kind() == EventKind.STOOD_STILL)
                .toList();
        this.killed = this.events.stream()
                .filter(event -> event.kind() == EventKind.KILLED)
                .toList();
        this.attempts = attemptsOf(this.events);
    }

    public List<Event> events() {
        return this.events;
    }

    public Stream<Event> events(EventKind kind) {
        return this.events.stream().filter(event -> event.kind() == kind);
    }

    List<Attempt> attempts() {
        return this.attempts;
    }

    /** Reads the histories of several processes. Empty lines and lines that start with {@code #} are ignored. */
    public static History read(Collection<Path> files) {
        List<Event> events = new ArrayList<>();
        for (Path file : files) {
            events.addAll(parse(text(file)));
        }
        return new History(events);
    }

    /** Reads a history from its lines. */
    public static History of(String text) {
        return new History(parse(text));
    }

    private static String text(Path file) {
        try {
            String text = Files.readString(file);
            // A process that was killed while it wrote has not finished its last line.
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
        // Listeners get the token, and not the number of the attempt.
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

    public long count(EventKind kind) {
        return events(kind).count();
    }

    /** Returns the attempts that were granted, by lock, in the order in which the grants arrived. */
    public Map<String, List<Attempt>> grants() {
        return this.attempts.stream()
                .filter(Attempt::isGranted)
                .sorted(Comparator.comparingLong(attempt -> attempt.granted().at()))
                .collect(Collectors.groupingBy(Attempt::lock, TreeMap::new, Collectors.toList()));
    }

    /** As {@link #grants()}, without the grants on which their owners could not rely when they arrived. */
    Map<String, List<Attempt>> beliefs() {
        Map<String, List<Attempt>> beliefs = grants();
        beliefs.values().forEach(grants -> grants.removeIf(grant -> !grant.wasBelieved()));
        return beliefs;
    }

    /** Returns for how many nanoseconds an instance stood still between two moments. */
    public long stoodStill(String instance, long from, long to) {
        return this.standstills.stream()
                .filter(event -> event.instance().equals(instance))
                .mapToLong(event -> Math.max(0, Math.min(event.at(), to) - Math.max(event.time(), from)))
                .sum();
    }

    /** Returns when an instance was killed; the largest number if it was not. */
    public long killedAt(String instance) {
        return this.killed.stream()
                .filter(event -> event.lock().equals(instance))
                .mapToLong(Event::at)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the time of the last event, or 0. */
    public long end() {
        return this.events.isEmpty()
                ? 0
                : this.events.get(this.events.size() - 1).at();
    }
}
