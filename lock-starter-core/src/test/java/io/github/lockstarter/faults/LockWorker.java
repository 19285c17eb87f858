package io.github.lockstarter.faults;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** An instance in a process of its own: locks, says so, and then does what it is told, line by line. */
final class LockWorker {

    private LockWorker() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Duration leaseTime = Duration.ofMillis(Long.parseLong(arguments[2]));
        Instance instance = new Instances()
                .at(
                        port,
                        setup -> arguments.length > 3
                                ? setup.lease(leaseTime).pollInterval(Duration.ofMillis(Long.parseLong(arguments[3])))
                                : setup.lease(leaseTime));
        Lease lease = instance.registry().acquire(LockRequest.of(arguments[1]).withWaitTime(Duration.ofMinutes(1)));
        say("held " + lease.fencingToken());
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case "state" -> say("state " + lease.state());
                case "ensure" -> say("ensure " + ensure(lease));
                case "release" -> say("release " + lease.release());
                default -> throw new IllegalArgumentException(order);
            }
        }
    }

    private static String ensure(Lease lease) {
        try {
            lease.ensureHeld();
            return "held";
        } catch (LockLostException ex) {
            return ex.reason().name();
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
