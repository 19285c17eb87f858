package io.github.lockstarter.testsupport.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of a worker process: several threads acquire a few locks, hold them for a while, and release them, until
 * the fleet stops the process.
 */
public final class HistoryWorker {

    private static final long[] WAITS = {0, 0, 400, 2_000, 8_000};

    private static final int THREADS = 3;

    private static final int LOCKS = 3;

    private static final long BEAT = Duration.ofMillis(20).toNanos();

    /** A process that misses fewer beats is not reported to have stood still. */
    public static final Duration UNREPORTED_STANDSTILL = Duration.ofNanos(5 * BEAT);

    private final LockUnderTest locks;

    private final WorkerArguments arguments;

    private final HistoryLog log;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private volatile boolean stopping;

    private HistoryWorker(LockUnderTest locks, WorkerArguments arguments, HistoryLog log) {
        this.locks = locks;
        this.arguments = arguments;
        this.log = log;
    }

    /** Opens a library. */
    @FunctionalInterface
    public interface Opening {
        LockUnderTest open(WorkerArguments arguments) throws Exception;
    }

    /** Runs a worker with the arguments of its main method, and ends the process. */
    public static void run(String[] line, Opening opening) throws Exception {
        WorkerArguments arguments = WorkerArguments.parse(line);
        try (HistoryLog log = HistoryLog.to(arguments.log(), arguments.name());
                LockUnderTest locks = opening.open(arguments)) {
            new HistoryWorker(locks, arguments, log).run();
        }
        System.out.println("done");
        System.exit(0);
    }

    private void run() throws IOException, InterruptedException {
        startClock();
        List<Thread> threads = startContenders();
        System.out.println("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String order = orders.readLine();
        while (order != null && !order.equals("stop")) {
            order = orders.readLine();
        }
        this.stopping = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Logs the times in which this process stood still, for whatever reason. */
    private void startClock() {
        Thread clock = new Thread(
                () -> {
                    long last = System.nanoTime();
                    while (!this.stopping) {
                        LockSupport.parkNanos(BEAT);
                        long now = System.nanoTime();
                        if (now - last > UNREPORTED_STANDSTILL.toNanos()) {
                            this.log.at(now, EventKind.STOOD_STILL, HistoryLog.ALL, 0, 0, last, "");
                        }
                        last = now;
                        this.locks.forgetEvents();
                    }
                },
                "clock");
        clock.setDaemon(true);
        clock.start();
    }

    private List<Thread> startContenders() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(this.arguments.seed() + i);
            String own = "own-" + this.arguments.name() + '-' + i;
            Thread thread = new Thread(() -> contend(random, own), "contender-" + i);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    /**
     * Acquires and releases locks until the process stops.
     *
     * @param own a lock that no other thread acquires, so that its refusal has no owner as its reason
     */
    private void contend(Random random, String own) {
        while (!this.stopping) {
            String lock = random.nextInt(4) == 0 ? own : "job-" + random.nextInt(LOCKS);
            Duration waitTime = Duration.ofMillis(WAITS[random.nextInt(WAITS.length)]);
            AcquireRequest request = new AcquireRequest(lock, waitTime, null);
            Duration stay = stay(random);
            if (this.arguments.leases() && random.nextInt(4) == 0) {
                Duration lease = Duration.ofMillis(50 + random.nextInt(600));
                request = new AcquireRequest(lock, waitTime, lease);
                stay = random.nextBoolean() ? lease.multipliedBy(3).dividedBy(2) : stay;
            }
            Optional<Visit> visit = Visit.tryAcquire(request, anyWay(random), this.log);
            if (visit.isPresent()) {
                visit.get().stay(stay);
                visit.get().release();
            }
            Fleet.pause(Duration.ofMillis(5 + random.nextInt(40)));
        }
    }

    /** Returns a short time in most cases, or one that needs a renewal if the library renews. */
    private Duration stay(Random random) {
        int dice = random.nextInt(10);
        if (dice < 2) {
            Duration lease = this.arguments.timing().lease();
            Duration beyond = lease.multipliedBy(12 + random.nextInt(6)).dividedBy(10);
            return this.locks.isRenewing() ? beyond : lease.dividedBy(2);
        }
        return Duration.ofMillis(dice < 5 ? 50 + random.nextInt(100) : random.nextInt(20));
    }

    /** Returns the plain way in most cases; the others end some waits early. */
    private Visit.Way anyWay(Random random) {
        Duration patience = Duration.ofMillis(random.nextInt(800));
        return switch (random.nextInt(8)) {
            case 0 -> request -> interrupted(request, patience);
            case 1, 2 -> request -> this.locks.tryAcquireOrCancel(request, patience);
            default -> this.locks::tryAcquire;
        };
    }

    private Optional<HeldLock> interrupted(AcquireRequest request, Duration patience) throws InterruptedException {
        Thread waiter = Thread.currentThread();
        ScheduledFuture<?> interrupt =
                this.timer.schedule(waiter::interrupt, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return this.locks.tryAcquire(request);
        } finally {
            interrupt.cancel(false);
            // The interrupt may have come after the end of the wait.
            Thread.interrupted();
        }
    }
}
