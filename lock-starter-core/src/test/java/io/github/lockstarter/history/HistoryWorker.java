package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.registry.ReleaseMode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * An instance in a process of its own: several threads want a few locks, hold them for a while, and release them,
 * until the process stops.
 */
final class HistoryWorker {

    private static final long[] WAITS = {0, 0, 400, 2_000, 8_000};

    private static final int THREADS = 3;

    private static final int LOCKS = 3;

    private static final long BEAT = Duration.ofMillis(20).toNanos();

    /** How it is configured. */
    enum Style {
        USUAL,
        /** A release does not wait for the answer. */
        BACKGROUND,
        /** Over the connection of the application, which repeats commands when it is back. */
        SHARED
    }

    private final LockRegistry registry;

    private final HistoryLog log;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private volatile boolean stopping;

    private HistoryWorker(LockRegistry registry, HistoryLog log) {
        this.registry = registry;
        this.log = log;
    }

    /** Arguments: port, name, file, seed, style. */
    public static void main(String[] arguments) throws Exception {
        Style style = Style.valueOf(arguments[4]);
        try (HistoryLog log = HistoryLog.to(Path.of(arguments[2]), arguments[1]);
                Instances instances = new Instances()) {
            Instance instance = instances.at(Integer.parseInt(arguments[0]), setup -> configure(setup, style));
            HistoryWorker worker = new HistoryWorker(instance.registry(), log);
            worker.startClock(instance);
            List<Thread> threads = worker.start(arguments[1], Long.parseLong(arguments[3]));
            System.out.println("ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String order = orders.readLine();
            while (order != null && !order.equals("stop")) {
                order = orders.readLine();
            }
            worker.stopping = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("done");
        System.exit(0);
    }

    private static Setup configure(Setup setup, Style style) {
        setup.lease(Fleet.LEASE)
                .commandTimeout(Fleet.COMMAND)
                .pollInterval(Fleet.POLL)
                .releaseMode(style == Style.BACKGROUND ? ReleaseMode.BACKGROUND : ReleaseMode.AWAIT);
        return style == Style.SHARED ? setup.sharedConnection() : setup;
    }

    /** Notices that this process has stood still, for whatever reason, and writes it down. */
    private void startClock(Instance instance) {
        Thread clock = new Thread(
                () -> {
                    long last = System.nanoTime();
                    while (!this.stopping) {
                        LockSupport.parkNanos(BEAT);
                        long now = System.nanoTime();
                        if (now - last > 5 * BEAT) {
                            this.log.at(now, EventKind.STOOD_STILL, HistoryLog.ALL, 0, 0, last, "");
                        }
                        last = now;
                        instance.events().forget();
                    }
                },
                "clock");
        clock.setDaemon(true);
        clock.start();
    }

    private List<Thread> start(String name, long seed) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed + i);
            String own = "own-" + name + '-' + i;
            Thread thread = new Thread(() -> contend(random, own), "contender-" + i);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    /**
     * Goes on until the process stops.
     *
     * @param own a lock that no other thread wants: a refusal of it has no owner to blame
     */
    private void contend(Random random, String own) {
        while (!this.stopping) {
            String lock = random.nextInt(4) == 0 ? own : "job-" + random.nextInt(LOCKS);
            LockRequest request =
                    LockRequest.of(lock).withWaitTime(Duration.ofMillis(WAITS[random.nextInt(WAITS.length)]));
            Duration stay = stay(random);
            if (random.nextInt(4) == 0) {
                Duration lease = Duration.ofMillis(50 + random.nextInt(600));
                request = request.withLease(lease);
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

    /** Mostly short, sometimes so long that the lease has to be renewed. */
    private static Duration stay(Random random) {
        int dice = random.nextInt(10);
        if (dice < 2) {
            return Fleet.LEASE.multipliedBy(12 + random.nextInt(6)).dividedBy(10);
        }
        return Duration.ofMillis(dice < 5 ? 50 + random.nextInt(100) : random.nextInt(20));
    }

    /** Mostly the plain one; some lose their patience. */
    private Visit.Way anyWay(Random random) {
        Duration patience = Duration.ofMillis(random.nextInt(800));
        return switch (random.nextInt(8)) {
            case 0 -> request -> interrupted(request, patience);
            case 1, 2 -> request -> cancelled(request, patience);
            default -> this.registry::tryAcquire;
        };
    }

    private Optional<Lease> interrupted(LockRequest request, Duration patience) throws InterruptedException {
        Thread waiter = Thread.currentThread();
        ScheduledFuture<?> interrupt =
                this.timer.schedule(waiter::interrupt, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return this.registry.tryAcquire(request);
        } finally {
            interrupt.cancel(false);
            // it may have come too late
            Thread.interrupted();
        }
    }

    private Optional<Lease> cancelled(LockRequest request, Duration patience) throws InterruptedException {
        CompletableFuture<Lease> lease = this.registry.acquireAsync(request).toCompletableFuture();
        try {
            try {
                return Optional.of(lease.get(patience.toMillis(), TimeUnit.MILLISECONDS));
            } catch (TimeoutException ex) {
                if (lease.cancel(true)) {
                    throw new CancellationException();
                }
                return Optional.of(lease.get());
            }
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof LockNotGrantedException) {
                return Optional.empty();
            }
            throw (LockException) ex.getCause();
        }
    }
}
