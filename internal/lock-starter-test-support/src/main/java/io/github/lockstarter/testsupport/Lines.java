package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** Lines that come in over time, and can be waited for. */
final class Lines {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    void add(String line) {
        lock.lock();
        try {
            lines.add(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<String> all() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    List<String> await(Predicate<String> wanted, int count, Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                List<String> found = lines.stream().filter(wanted).limit(count).toList();
                if (found.size() == count) {
                    return found;
                }
                if (ended || left <= 0) {
                    String why = ended ? "The process has ended" : "Not within " + limit;
                    throw new AssertionError(why + ": " + found.size() + " of " + count + " lines; all: " + lines);
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
