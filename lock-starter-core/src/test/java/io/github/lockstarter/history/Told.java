package io.github.lockstarter.history;

import java.time.Duration;
import java.util.List;

/** Histories that were written by hand, with times in milliseconds. */
final class Told {

    static final Limits LIMITS =
            Limits.of(Duration.ofMillis(100), Duration.ofMillis(10), Duration.ofMillis(5), Duration.ofMillis(20));

    private static final long MILLI = 1_000_000;

    private Told() {}

    static History history(String text) {
        return new History(History.of(text).events().stream()
                .map(event -> new Event(
                        event.at() * MILLI,
                        event.instance(),
                        event.attempt(),
                        event.kind(),
                        event.lock(),
                        event.token(),
                        event.time() * MILLI,
                        event.text()))
                .toList());
    }

    /** What all rules together have against it. */
    static List<String> violations(String text) {
        return HistoryChecker.violations(history(text), LIMITS);
    }
}
