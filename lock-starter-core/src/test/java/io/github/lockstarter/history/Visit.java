package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Someone has a lock, and writes down what the lease says. Used by one thread. */
final class Visit {

    private static final long LOOK_EVERY = Duration.ofMillis(20).toNanos();

    private final Lease lease;

    private final long attempt;

    private final HistoryLog log;

    private Visit(Lease lease, long attempt, HistoryLog log) {
        this.lease = lease;
        this.attempt = attempt;
        this.log = log;
    }

    static Visit of(Lease lease, long attempt, HistoryLog log) {
        Visit visit = new Visit(lease, attempt, log);
        // what is left is counted from a moment before the lease is asked: rather too little than too much
        long now = System.nanoTime();
        visit.note(now, EventKind.GRANTED, now + lease.remaining().toNanos(), "");
        lease.lost().thenAccept(reason -> visit.note(System.nanoTime(), EventKind.LOST, 0, reason.name()));
        return visit;
    }

    Lease lease() {
        return this.lease;
    }

    /** Looks whether the lease is still held. */
    boolean look() {
        long now = System.nanoTime();
        Duration remaining = this.lease.remaining();
        if (this.lease.isHeld() && !remaining.isZero()) {
            note(now, EventKind.HELD, now + remaining.toNanos(), "");
            return true;
        }
        note(System.nanoTime(), EventKind.LOST, 0, "seen");
        return false;
    }

    /** Looks again and again; true if the lease was held all the time. */
    boolean stay(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (look()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return true;
            }
            LockSupport.parkNanos(Math.min(left, LOOK_EVERY));
        }
        return false;
    }

    /** What has to be read before anything is written to that resource; null: it refused. */
    String read(Register register, String resource) {
        String last = register.read(resource, this.lease.name(), this.lease.fencingToken());
        if (last == null) {
            note(System.nanoTime(), EventKind.REFUSED, 0, resource);
        }
        return last;
    }

    /** Writes to the resource, after what was read; true if it was accepted. */
    boolean write(Register register, String resource, String last) {
        note(System.nanoTime(), EventKind.SENT, 0, resource);
        String mine = this.lease.fencingToken() + "#" + this.attempt;
        long number = register.write(resource, this.lease.name(), this.lease.fencingToken(), mine);
        if (number == 0) {
            note(System.nanoTime(), EventKind.REFUSED, 0, resource);
            return false;
        }
        note(System.nanoTime(), EventKind.ACCEPTED, number, resource + " " + last);
        return true;
    }

    boolean release() {
        note(System.nanoTime(), EventKind.RELEASE, 0, "");
        boolean ours = this.lease.release();
        note(System.nanoTime(), ours ? EventKind.RELEASED : EventKind.NOT_OURS, 0, "");
        return ours;
    }

    private void note(long at, EventKind kind, long time, String text) {
        this.log.at(at, kind, this.lease.name(), this.attempt, this.lease.fencingToken(), time, text);
    }
}
