package io.github.lockstarter.benchmarks.pair;

import io.github.lockstarter.benchmarks.client.ClientSettings;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.Use;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Commands that Redis executes for one lock and unlock, as MONITOR shows them: it distinguishes those of clients from
 * those that scripts call, which the counters of INFO do not.
 *
 * @param onTheWire sent by the client
 * @param all with those inside scripts
 */
public record PairCommands(double onTheWire, double all) {

    private static final int PAIRS = 100;

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String MARK = "end-of-pairs";

    public static PairCommands count(Contender contender, int port) {
        try (RedisCli cli = RedisCli.connect(port);
                RedisCli monitor = RedisCli.connect(port);
                LockClient client = contender.open(new ClientSettings(port, null, Use.ALONE))) {
            // scripts are loaded and subscriptions made
            pairs(client);
            awaitReleased(cli);
            monitor.command("MONITOR");
            pairs(client);
            awaitReleased(cli);
            cli.command("ECHO", MARK);
            return read(monitor);
        }
    }

    private static void pairs(LockClient client) {
        for (int i = 0; i < PAIRS; i++) {
            client.pair("counted:" + i);
        }
    }

    /** Some give locks back in the background. */
    private static void awaitReleased(RedisCli cli) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!cli.keys().isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Not given back: " + cli.keys());
            }
        }
    }

    private static PairCommands read(RedisCli monitor) {
        int wire = 0;
        int all = 0;
        for (String line = line(monitor); !line.contains(MARK); line = line(monitor)) {
            if (!line.contains("\"KEYS\"")) {
                all++;
                wire += line.contains(" lua] ") ? 0 : 1;
            }
        }
        return new PairCommands((double) wire / PAIRS, (double) all / PAIRS);
    }

    private static String line(RedisCli monitor) {
        return (String) Objects.requireNonNull(monitor.read());
    }
}
