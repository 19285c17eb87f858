package io.github.lockstarter.history;

import io.github.lockstarter.fixture.Remarks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A fleet, harassed for a while, and what the checker says of its history. Another run with the same
 * {@code -Dlock.soak.seed} sees the same troubles, at about the same times.
 */
record Run(long seed, Path directory, long troubles, History history, List<String> violations) {

    private static final Pace PACE = Pace.ofMillis(1000, 250, 150);

    /** A machine that is busy with other things stops nobody from being safe, but makes everybody late. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    static Run of(Duration time, int processes, Path directory) throws InterruptedException {
        Long given = Long.getLong("lock.soak.seed");
        long seed = given != null ? given : ThreadLocalRandom.current().nextLong(1_000_000);
        Remarks.say("lock.soak.seed=" + seed + ", history in " + directory);
        try (Fleet fleet = new Fleet(directory, PACE, processes, seed)) {
            fleet.awaitReady();
            long troubles = new Nemesis(fleet, seed).harass(time);
            History history = fleet.finish();
            List<String> violations = new ArrayList<>(HistoryChecker.violations(history, PACE.limits(SLACK)));
            fleet.leftovers().forEach(key -> violations.add("leftovers: Nobody is left, but the key " + key + " is"));
            Run run = new Run(seed, directory, troubles, history, violations);
            Remarks.say(run);
            return run;
        }
    }

    @Override
    public String toString() {
        return "seed " + this.seed + ": " + this.troubles + " troubles, " + this.history.count(EventKind.ACQUIRE)
                + " attempts, " + this.history.count(EventKind.GRANTED) + " granted, "
                + this.history.count(EventKind.NOT_GRANTED) + " not granted, " + this.history.count(EventKind.FAILED)
                + " failed, " + this.history.count(EventKind.UNKNOWN) + " unknown, "
                + this.history.count(EventKind.LOST)
                + " losses seen, " + this.history.count(EventKind.REFUSED) + " writes refused, "
                + ResourceRule.lostUpdates(this.history, Register.BARE).size() + " updates lost without fencing, "
                + this.history.count(EventKind.COMMAND) + " commands; " + this.violations.size()
                + " violations; history: "
                + this.directory;
    }
}
