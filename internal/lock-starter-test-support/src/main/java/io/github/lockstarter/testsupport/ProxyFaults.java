package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is wrong with the network at the moment, in one direction. Shared by all connections of a proxy. */
final class ProxyFaults {

    enum Mode {
        PASS,
        /** Nothing gets through now, everything later, as with a partition that heals before TCP gives up. */
        STALL,
        /** Nothing gets through, ever. */
        SWALLOW
    }

    /** What to do, once, with the first command (or its reply) that matches. */
    private static final class Rule {

        private final Predicate<List<String>> when;
        private final Action action;
        private final AtomicBoolean used = new AtomicBoolean();

        Rule(Predicate<List<String>> when, Action action) {
            this.when = when;
            this.action = action;
        }

        boolean claim(List<String> command) {
            return when.test(command) && used.compareAndSet(false, true);
        }
    }

    /** What becomes of a frame. */
    enum Fate {
        ALL,
        /** The first half of its bytes gets through, and nothing ever after it. */
        HALF,
        NOTHING
    }

    /** Frames that match pass one by one, as they are permitted. */
    private record Gate(Predicate<List<String>> when, Semaphore permitted) {}

    private interface Action {

        Fate of(Runnable lost) throws InterruptedException;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final List<Hold> holds = new ArrayList<>();
    private Mode mode = Mode.PASS;
    /** What a frame takes without a fault. */
    private final Duration distance;

    private volatile Duration delay;
    private volatile boolean messagesLost;
    private volatile @Nullable Gate gate;

    ProxyFaults(Duration distance) {
        this.distance = distance;
        this.delay = distance;
    }

    void set(Mode newMode) {
        lock.lock();
        try {
            mode = newMode;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void swallowMessages() {
        messagesLost = true;
    }

    void delay(Duration newDelay) {
        delay = newDelay;
    }

    long delayNanos() {
        return delay.toNanos();
    }

    Hold hold(Predicate<List<String>> when) {
        Hold hold = new Hold();
        lock.lock();
        try {
            holds.add(hold);
        } finally {
            lock.unlock();
        }
        rules.add(new Rule(when, lost -> {
            hold.block();
            return Fate.ALL;
        }));
        return hold;
    }

    void shut(Predicate<List<String>> when) {
        open();
        gate = new Gate(when, new Semaphore(0));
    }

    void permit(int frames) {
        Gate present = gate;
        if (present != null) {
            present.permitted.release(frames);
        }
    }

    private void open() {
        permit(Integer.MAX_VALUE / 2);
        gate = null;
    }

    void swallow(Predicate<List<String>> when, Runnable then) {
        lose(when, Fate.NOTHING, then);
    }

    void tear(Predicate<List<String>> when, Runnable then) {
        lose(when, Fate.HALF, then);
    }

    private void lose(Predicate<List<String>> when, Fate fate, Runnable then) {
        rules.add(new Rule(when, lost -> {
            lost.run();
            // a thread of its own: what runs may cut the connection, which interrupts this one
            Thread thread = new Thread(then, "proxy-then");
            thread.start();
            thread.join();
            return fate;
        }));
    }

    /** Back to normal; what is held goes on. */
    void clear() {
        rules.clear();
        open();
        delay = distance;
        messagesLost = false;
        set(Mode.PASS);
        lock.lock();
        try {
            holds.forEach(Hold::release);
            holds.clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits as long as the faults want it, then says what becomes of the frame; if not all of it goes on, {@code lost}
     * has been run.
     */
    Fate fateOf(List<String> command, Runnable lost) throws InterruptedException {
        Gate present = gate;
        if (present != null && present.when.test(command)) {
            present.permitted.acquire();
        }
        Optional<Rule> rule = rules.stream().filter(each -> each.claim(command)).findFirst();
        Fate fate = rule.isEmpty() ? Fate.ALL : rule.get().action.of(lost);
        return fate == Fate.ALL ? fateOfMode(lost) : fate;
    }

    /** The same for a frame that no command asked for. */
    Fate fateOfMessage(Runnable lost) throws InterruptedException {
        if (messagesLost) {
            lost.run();
            return Fate.NOTHING;
        }
        return fateOfMode(lost);
    }

    private Fate fateOfMode(Runnable lost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (mode == Mode.STALL) {
                changed.await();
            }
            if (mode == Mode.SWALLOW) {
                // under the lock: heal() sees every connection that has lost something
                lost.run();
                return Fate.NOTHING;
            }
            return Fate.ALL;
        } finally {
            lock.unlock();
        }
    }
}
