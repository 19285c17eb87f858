package io.github.lockstarter.testsupport.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The command line of a worker process.
 *
 * @param port the port of Redis
 * @param name the name of the instance
 * @param log the file of its history
 * @param seed the seed of its choices
 * @param timing the times of the fleet
 * @param leases whether it acquires locks with leases that are not renewed as well
 * @param variant what the fleet was given for this worker, which decides how the library is configured
 */
public record WorkerArguments(
        int port, String name, Path log, long seed, Timing timing, boolean leases, String variant) {

    /** Reads what {@link #line()} returns. */
    static WorkerArguments parse(String... arguments) {
        return new WorkerArguments(
                Integer.parseInt(arguments[0]),
                arguments[1],
                Path.of(arguments[2]),
                Long.parseLong(arguments[3]),
                new Timing(Duration.parse(arguments[4]), Duration.parse(arguments[5])),
                Boolean.parseBoolean(arguments[6]),
                arguments[7]);
    }

    String[] line() {
        return List.of(
                        Integer.toString(this.port),
                        this.name,
                        this.log.toString(),
                        Long.toString(this.seed),
                        this.timing.lease().toString(),
                        this.timing.command().toString(),
                        Boolean.toString(this.leases),
                        this.variant)
                .toArray(String[]::new);
    }
}
