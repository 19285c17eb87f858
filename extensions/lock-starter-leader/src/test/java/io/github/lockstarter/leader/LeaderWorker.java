package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.ROLE;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.HistoryLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The main class of an instance in a JVM of its own. It logs what it believes and does, and obeys orders, which it
 * reads line by line. Its arguments are the port of Redis, its name, the file of its log, and the seed of its choices.
 */
final class LeaderWorker {

    static final Duration LEASE = Duration.ofSeconds(3);

    static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

    /** Text of the event of an instance whose listener or call closes the context. */
    static final String CLOSES = "closes";

    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Time between two samples from which on this process has stood still. */
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The longest part of a belief that a kill of the process hides. */
    private static final long UNREPORTED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final AtomicInteger FAILURES = new AtomicInteger();

    private static final AtomicReference<Block> BLOCK = new AtomicReference<>();

    /** Milliseconds that the next stop of the bean takes. */
    private static final AtomicLong SLOWNESS = new AtomicLong();

    private static final AtomicBoolean CLOSES_IN_LISTENER = new AtomicBoolean();

    private static HistoryLog log;

    private static Random random;

    private static volatile Instance instance;

    /** Set and read by the thread of the role. */
    private static volatile long epoch;

    private LeaderWorker() {}

    /** Runs until the order {@code end}, or until the process is stopped. */
    public static void main(String[] arguments) throws Exception {
        log = HistoryLog.to(Path.of(arguments[2]), arguments[1]);
        random = new Random(Long.parseLong(arguments[3]));
        instance = Instance.small(
                Integer.parseInt(arguments[0]),
                List.of(
                        "--distributed-lock.leader.roles.feed.watchdog-timeout=" + LEASE.toMillis() + "ms",
                        "--distributed-lock.leader.roles.feed.stop-timeout=" + STOP_TIMEOUT.toMillis() + "ms",
                        "--distributed-lock.leader.roles.feed.retry-delay=200ms"),
                Feed.class,
                Jobs.class,
                Listener.class);
        Runtime.getRuntime().addShutdownHook(new Thread(instance::close, "close"));
        startDaemon(LeaderWorker::sample, "sampler");
        startDaemon(LeaderWorker::watch, "watch");
        System.out.println("ready");
        obey();
        System.exit(0);
    }

    private static void startDaemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void obey() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null && !order.equals("end"); order = orders.readLine()) {
            String[] words = order.split(" ");
            try {
                switch (words[0]) {
                    case "cede" -> cede(words);
                    case "stop" -> instance.election().stop(ROLE);
                    case "start" -> instance.election().start(ROLE);
                    case "throw" -> FAILURES.set(Integer.parseInt(words[1]));
                    case "block" -> BLOCK.set(new Block(Long.parseLong(words[1]), words[2].equals("deaf")));
                    case "slow" -> SLOWNESS.set(Long.parseLong(words[1]));
                    // A scheduler waits for its own threads at the end.
                    case "close-in-call" -> startDaemon(instance.bean(Jobs.class)::close, "close-in-call");
                    case "close-in-listener" -> CLOSES_IN_LISTENER.set(true);
                    case "obey" -> {
                        FAILURES.set(0);
                        BLOCK.set(null);
                        CLOSES_IN_LISTENER.set(false);
                    }
                    default -> throw new IllegalArgumentException(order);
                }
            } catch (IllegalStateException ex) {
                // Another cause has ended the leadership first.
                System.out.println("too late: " + order + ", " + ex.getMessage());
            }
        }
    }

    private static void cede(String[] words) {
        if (words.length > 1) {
            instance.election().cede(ROLE, Duration.ofMillis(Long.parseLong(words[1])));
        } else {
            instance.election().cede(ROLE);
        }
    }

    /**
     * Logs from when to when this instance certainly believed to lead, and the times in which it stood still. A sample
     * is true at an unknown moment between its two times, so that a belief lasts from the later time of its first
     * sample to the earlier time of its last one.
     */
    private static void sample() {
        LeaderElection election = instance.election();
        long since = 0;
        long until = 0;
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(SAMPLE_NANOS);
            long before = System.nanoTime();
            boolean leads = election.isLeader(ROLE);
            long after = System.nanoTime();
            boolean stoodStill = after - last > STANDSTILL_NANOS;
            if (stoodStill) {
                log.at(after, EventKind.STOOD_STILL, HistoryLog.ALL, 0, 0, last, "");
            }
            if (since != 0 && (stoodStill || !leads || until - since > UNREPORTED_NANOS)) {
                if (until > since) {
                    log.at(until, EventKind.LED, ROLE, 0, 0, since, "");
                }
                since = stoodStill || !leads ? 0 : until;
            }
            if (leads && !stoodStill) {
                since = since == 0 ? after : since;
                until = before;
            }
            last = after;
        }
    }

    /** Reports each change of the role's state. */
    private static void watch() {
        LeaderElections elections = instance.bean(LeaderElections.class);
        String last = "";
        while (true) {
            String state = elections.states().getOrDefault(ROLE, "");
            if (!state.equals(last)) {
                log.now(EventKind.STATE, ROLE, 0, 0, 0, state);
                System.out.println("state " + state);
                last = state;
            }
            LockSupport.parkNanos(WATCH_NANOS);
        }
    }

    private static void close(String place) {
        log.now(EventKind.STATE, ROLE, 0, epoch, 0, CLOSES);
        long start = System.nanoTime();
        instance.close();
        System.out.println(
                "closed in " + place + " after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
    }

    /** What the next start of the bean does. */
    private record Block(long millis, boolean isDeaf) {

        void await() {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.millis);
            for (long left = this.millis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
                try {
                    Thread.sleep(left);
                } catch (InterruptedException ex) {
                    if (!this.isDeaf) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("The start was interrupted");
                    }
                }
            }
        }
    }

    @LeaderOnly(ROLE)
    static class Feed implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public void start() {
            Block block = BLOCK.getAndSet(null);
            boolean isDeaf = block != null && block.isDeaf();
            log.now(EventKind.BEAN_STARTING, ROLE, 0, epoch, 0, isDeaf ? "deaf" : "");
            this.running = true;
            if (block != null) {
                block.await();
            }
        }

        @Override
        public void stop() {
            log.now(EventKind.BEAN_STOPPING, ROLE, 0, epoch, 0, "");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SLOWNESS.getAndSet(0)));
            this.running = false;
            log.now(EventKind.BEAN_STOPPED, ROLE, 0, epoch, 0, "");
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }
    }

    @EnableScheduling
    @Configuration(proxyBeanMethods = false)
    static class Jobs {

        private final AtomicLong calls = new AtomicLong();

        private interface Body {

            void run() throws InterruptedException;
        }

        @Scheduled(fixedDelay = 30)
        @LeaderOnly(value = ROLE, onLost = OnLost.INTERRUPT)
        void call() {
            log(() -> Thread.sleep(random.nextInt(10) == 0 ? 400 : random.nextInt(60)));
        }

        @LeaderOnly(ROLE)
        void close() {
            log(() -> LeaderWorker.close("call"));
        }

        private void log(Body body) {
            long number = this.calls.incrementAndGet();
            Lease lease = LeaseContext.required();
            long token = lease.fencingToken();
            // The lease is held at this time or later, so that this call acts as a leader at this time.
            long at = System.nanoTime();
            boolean leads = lease.isHeld();
            log.at(at, EventKind.CALL_BEGUN, ROLE, number, token, leads ? 1 : 0, "");
            try {
                body.run();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            } finally {
                log.now(EventKind.CALL_ENDED, ROLE, number, token, 0, "");
            }
        }
    }

    /** Is notified first, and fails afterwards. */
    static class Listener {

        @EventListener
        @Order(Ordered.HIGHEST_PRECEDENCE)
        void granted(LeadershipGrantedEvent event) {
            epoch = event.epoch();
            log.now(EventKind.GRANTED, ROLE, 0, event.epoch(), 0, "");
            if (CLOSES_IN_LISTENER.getAndSet(false)) {
                close("listener");
            }
            fail();
        }

        @EventListener
        @Order(Ordered.HIGHEST_PRECEDENCE)
        void atRisk(LeadershipAtRiskEvent event) {
            log.now(EventKind.AT_RISK, ROLE, 0, event.epoch(), 0, "");
        }

        @EventListener
        @Order(Ordered.HIGHEST_PRECEDENCE)
        void revoked(LeadershipRevokedEvent event) {
            log.now(EventKind.REVOKED, ROLE, 0, event.epoch(), 0, event.reason().name());
            fail();
        }

        private static void fail() {
            if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException("a failure of the test");
            }
        }
    }
}
