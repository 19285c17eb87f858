package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Redis itself says about the time that it has spent. */
public final class ServerTime {

    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+),.*");

    private ServerTime() {}

    /** Calls of scripts so far, and microseconds in them; no other command runs meanwhile. */
    public record Scripts(long calls, long micros) {

        public static Scripts now(RedisCli cli) {
            return cli.info("commandstats")
                    .lines()
                    .map(SCRIPTS::matcher)
                    .filter(Matcher::matches)
                    .map(line -> new Scripts(Long.parseLong(line.group(1)), Long.parseLong(line.group(2))))
                    .findFirst()
                    .orElseGet(() -> new Scripts(0, 0));
        }
    }

    /** Microseconds of the one call of a script that the command is. */
    public static long microsOf(Runnable command, RedisCli cli) {
        Scripts before = Scripts.now(cli);
        command.run();
        Scripts after = Scripts.now(cli);
        if (after.calls() - before.calls() != 1) {
            throw new IllegalStateException(after.calls() - before.calls() + " scripts instead of one");
        }
        return after.micros() - before.micros();
    }

    /** Calls of all commands so far, those inside scripts included. */
    public static long commands(RedisCli cli) {
        return cli.infoCommandStats().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** A number that {@code INFO} reports. */
    public static double figure(RedisCli cli, String section, String name) {
        return cli.info(section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** Processor time of the whole process. */
    public static double cpuSeconds(RedisCli cli) {
        return figure(cli, "cpu", "used_cpu_sys") + figure(cli, "cpu", "used_cpu_user");
    }
}
