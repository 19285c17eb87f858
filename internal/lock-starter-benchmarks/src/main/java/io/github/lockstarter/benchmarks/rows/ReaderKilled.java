package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Two JVMs read, one of them is killed, and a third one waits to write. The survivor holds its read lock until its
 * lease has been renewed, and then reads on in short intervals: neither may prolong the lease of the dead reader.
 *
 * @param millisAfterExpiry from the end of the dead reader's lease until the writer has the lock
 * @param leasesAfterKill from the kill until then, in leases
 */
record ReaderKilled(double millisAfterExpiry, double leasesAfterKill) {

    private static final int DEAD = 0;

    private static final int SURVIVOR = 1;

    private static final int WRITER = 2;

    /** The reader is killed after this part of a lease, in the middle of two renewals. */
    private static final double KILL = 1.0 / 6;

    /** The survivor keeps its lock for this part of a lease after the kill: it is renewed once, and ends first. */
    private static final double HOLD = 0.5;

    /** Leases after the kill until which the survivor reads on, unless the writer is let in. */
    private static final double READ = 3;

    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The fleet loses its first worker, and two others do not come back. */
    static ReaderKilled measure(Fleet fleet, RedisCli cli, Duration lease) throws InterruptedException {
        cli.flushall();
        String open = "open " + lease.toMillis();
        for (int worker : new int[] {DEAD, SURVIVOR, WRITER}) {
            fleet.ask(worker, open);
        }
        fleet.ask(SURVIVOR, "read");
        // the last one whose lease begins is the last one whose lease ends
        fleet.ask(DEAD, "read");
        long expiry = LeaseEnd.nanos(cli);
        double nanos = lease.toNanos();
        Pause.until(expiry - (long) ((1 - KILL) * nanos));
        fleet.kill(DEAD);
        long killed = System.nanoTime();
        int writer = fleet.send(WRITER, "write");
        fleet.send(SURVIVOR, "read-on " + (killed + (long) (HOLD * nanos)) + " " + (killed + (long) (READ * nanos)));
        long served = Long.parseLong(fleet.await(WRITER, writer));
        return new ReaderKilled((served - expiry) / MILLI, (served - killed) / nanos);
    }
}
