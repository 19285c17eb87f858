package io.github.lockstarter.history;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.LockRequest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.slf4j.LoggerFactory;

/**
 * An instance in a process of its own: several threads want a few locks, hold them for a while, and write to what the
 * locks guard, until the process is told to stop.
 */
final class HistoryWorker {

    private static final long[] WAITS = {0, 0, 400, 2_000, 8_000};

    private final Contender contender;

    private final Ways ways;

    private final Pace pace;

    private final int registerPort;

    private final int locks;

    private volatile boolean stopping;

    private HistoryWorker(Contender contender, Ways ways, Pace pace, int registerPort, int locks) {
        this.contender = contender;
        this.ways = ways;
        this.pace = pace;
        this.registerPort = registerPort;
        this.locks = locks;
    }

    /** Arguments: port, port of the resource, name, file, seed, threads, locks, and three times in milliseconds, style. */
    public static void main(String[] arguments) throws Exception {
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
        Pace pace = Pace.ofMillis(number(arguments[7]), number(arguments[8]), number(arguments[9]));
        try (HistoryLog log = HistoryLog.to(Path.of(arguments[3]), arguments[2]);
                Metronome metronome = Metronome.start(log);
                Client client =
                        Client.start((int) number(arguments[0]), pace, Client.Style.valueOf(arguments[10]), log);
                Ways ways = new Ways(client.registry())) {
            HistoryWorker worker = new HistoryWorker(
                    client.contender(log), ways, pace, (int) number(arguments[1]), (int) number(arguments[6]));
            List<Thread> threads = worker.start(arguments[2], (int) number(arguments[5]), number(arguments[4]));
            System.out.println("ready");
            awaitStop();
            worker.stopping = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("done");
        System.exit(0);
    }

    private static long number(String argument) {
        return Long.parseLong(argument);
    }

    private static void awaitStop() throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String order = orders.readLine();
        while (order != null && !order.equals("stop")) {
            order = orders.readLine();
        }
    }

    private List<Thread> start(String name, int count, long seed) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Random random = new Random(seed + i);
            String own = "own-" + name + '-' + i;
            Thread thread = new Thread(() -> contend(random, own), "contender-" + i);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    /**
     * Goes on until it is told to stop.
     *
     * @param own a lock that nobody else wants: nobody can be blamed if it is not granted
     */
    private void contend(Random random, String own) {
        try (Register register = new Register(this.registerPort)) {
            while (!this.stopping) {
                String lock = random.nextInt(4) == 0 ? own : "job-" + random.nextInt(this.locks);
                LockRequest request =
                        LockRequest.of(lock).withWaitTime(Duration.ofMillis(WAITS[random.nextInt(WAITS.length)]));
                Duration stay = stay(random);
                if (random.nextInt(4) == 0) {
                    Duration lease = Duration.ofMillis(50 + random.nextInt(600));
                    request = request.withLease(lease);
                    stay = random.nextBoolean() ? lease.multipliedBy(3).dividedBy(2) : stay;
                }
                Optional<Visit> visit = this.contender.tryAcquire(request, this.ways.any(random));
                if (visit.isPresent()) {
                    work(visit.get(), register, stay);
                }
                Pause.of(Duration.ofMillis(5 + random.nextInt(40)));
            }
        }
    }

    /** Mostly short, sometimes so long that the lease has to be renewed. */
    private Duration stay(Random random) {
        int dice = random.nextInt(10);
        if (dice < 2) {
            return this.pace.lease().multipliedBy(12 + random.nextInt(6)).dividedBy(10);
        }
        return Duration.ofMillis(dice < 5 ? 50 + random.nextInt(100) : random.nextInt(20));
    }

    private static void work(Visit visit, Register register, Duration time) {
        String fenced = visit.read(register, Register.FENCED);
        String bare = visit.read(register, Register.BARE);
        // who has lost the lock goes on all the same, like code that was paused after its last look
        visit.stay(time);
        if (fenced != null) {
            visit.write(register, Register.FENCED, fenced);
        }
        visit.write(register, Register.BARE, bare);
        visit.release();
    }
}
