package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Attempt;
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
 * @param begins when the first client is connected to a server without the data, at the earliest
 * @param ends when all clients are, at the latest
 */
record DataLoss(Trouble trouble, long begins, long ends) {

    /** Returns the losses of data in a history. */
    static List<DataLoss> in(History history) {
        Map<Long, Long> healed = history.events(EventKind.HEALED).collect(Collectors.toMap(Event::attempt, Event::at));
        return history.events(EventKind.FAULT)
                .filter(fault -> troubleOf(fault).losesData())
                .map(fault -> of(fault, healed.getOrDefault(fault.attempt(), Long.MAX_VALUE)))
                .toList();
    }

    /** A restart loses the data at its begin, and a failover at its end; between them, the trouble lasts. */
    private static DataLoss of(Event fault, long healed) {
        Trouble trouble = troubleOf(fault);
        return trouble == Trouble.REDIS_RESTARTED_EMPTY
                ? new DataLoss(trouble, fault.at(), healed - lasts(fault))
                : new DataLoss(trouble, fault.at() + lasts(fault), healed);
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

    /**
     * Returns whether the grant of an owner can have been before this loss, and another moment after it.
     *
     * @param reply the time for which the reply to the grant may have been under way
     */
    boolean isBetween(Attempt owner, Duration reply, long moment) {
        long granted = Math.max(owner.invoked().at(), owner.granted().at() - reply.toNanos());
        return granted < this.ends && moment > this.begins;
    }
}
