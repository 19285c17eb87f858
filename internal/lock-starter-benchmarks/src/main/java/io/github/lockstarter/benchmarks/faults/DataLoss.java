package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Event;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.History;
import io.github.lockstarter.testsupport.history.Trouble;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A trouble by which Redis lost data.
 *
 * @param trouble the trouble
 * @param begins when the first client could reach a server without the data, at the earliest
 * @param ends when no client could reach one with the data any more, at the latest
 */
record DataLoss(Trouble trouble, long begins, long ends) {

    /** Returns those of a history. */
    static List<DataLoss> in(History history) {
        Map<Long, Long> healed = history.events(EventKind.HEALED)
                .collect(Collectors.toMap(Event::attempt, Event::at, (one, two) -> one));
        return history.events(EventKind.FAULT)
                .filter(fault -> isLoss(troubleOf(fault)))
                .map(fault -> of(fault, healed.getOrDefault(fault.attempt(), Long.MAX_VALUE)))
                .toList();
    }

    private static DataLoss of(Event fault, long healed) {
        Trouble trouble = troubleOf(fault);
        // Until the end of a failover, all clients are connected to the old master, which has all data.
        long begins = trouble == Trouble.REDIS_RESTARTED_EMPTY ? fault.at() : fault.at() + lasts(fault);
        return new DataLoss(trouble, begins, healed);
    }

    /** Returns the trouble that begins with a fault. */
    static Trouble troubleOf(Event fault) {
        return Trouble.valueOf(words(fault)[0]);
    }

    private static long lasts(Event fault) {
        return Duration.ofMillis(Long.parseLong(words(fault)[2])).toNanos();
    }

    private static String[] words(Event fault) {
        return fault.text().split(" ");
    }

    private static boolean isLoss(Trouble trouble) {
        return trouble == Trouble.REDIS_RESTARTED_EMPTY || trouble == Trouble.REDIS_FAILED_OVER_WITH_LOSS;
    }

    /** Returns whether what Redis executed at the first moment could be missing at the second one. */
    boolean isBetween(long from, long to) {
        return from < this.ends && to > this.begins;
    }
}
