package io.github.lockstarter.testsupport.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A fleet and what is done to it. The same seed plans the same troubles, which come at about the same times.
 *
 * @param worker the class whose main method calls {@link HistoryWorker#run}
 * @param variants what the workers are given in turn, see {@link WorkerArguments#variant()}
 * @param processes the number of workers
 * @param timing the times of the fleet
 * @param leases whether workers acquire locks with leases that are not renewed as well
 * @param troubles what is done
 * @param seed the seed of the troubles, and of the choices of the workers
 */
public record FleetPlan(
        Class<?> worker,
        List<String> variants,
        int processes,
        Timing timing,
        boolean leases,
        Set<Trouble> troubles,
        long seed) {

    /** Returns the value of {@code -Dlock.soak.seed}, or a new seed. */
    public static long givenOrNewSeed() {
        Long given = Long.getLong("lock.soak.seed");
        return given != null ? given : ThreadLocalRandom.current().nextLong(1_000_000);
    }

    /**
     * Starts the fleet, troubles it for that time, and returns its history; the processes write it to the directory.
     */
    public FleetRun run(Duration time, Path directory) throws InterruptedException {
        try (Fleet fleet = new Fleet(this, directory)) {
            return fleet.run(time);
        }
    }
}
