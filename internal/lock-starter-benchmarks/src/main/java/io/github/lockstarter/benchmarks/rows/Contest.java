package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.ServerTime;
import io.github.lockstarter.benchmarks.contention.Arena;
import io.github.lockstarter.benchmarks.contention.ContentionOrder;
import io.github.lockstarter.benchmarks.contention.ContentionResult;
import io.github.lockstarter.benchmarks.contention.Sharing;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Threads of a fleet that all want the same lock or semaphore.
 *
 * @param jvms how many workers take part
 * @param threads of each
 * @param sharing how many may be inside at the same time
 * @param work how long each stays inside
 */
record Contest(int jvms, int threads, Sharing sharing, Duration work) {

    /** So that all JVMs know of the start before it comes. */
    private static final Duration LEAD = Duration.ofMillis(100);

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /**
     * What came of it.
     *
     * @param contention as the threads have booked it
     * @param perSecond acquisitions
     * @param commandsEach all calls that Redis counts, per acquisition
     */
    record Outcome(ContentionResult contention, double perSecond, double commandsEach) {}

    Outcome measure(Fleet fleet, RedisCli cli, Duration warmUp, Duration time) throws InterruptedException {
        if (!warmUp.isZero()) {
            run(fleet, warmUp);
        }
        cli.command("CONFIG", "RESETSTAT");
        ContentionResult result = run(fleet, time);
        long commands = ServerTime.commands(cli);
        return new Outcome(
                result, result.served() * SECOND / time.toNanos(), (double) commands / Math.max(1, result.entered()));
    }

    private ContentionResult run(Fleet fleet, Duration time) throws InterruptedException {
        try (Arena arena = Arena.create()) {
            long start = System.nanoTime() + LEAD.toNanos();
            List<Integer> numbers = new ArrayList<>();
            for (int jvm = 1; jvm <= this.jvms; jvm++) {
                ContentionOrder order = new ContentionOrder(
                        arena.file(),
                        jvm,
                        this.threads,
                        this.sharing,
                        this.work.toNanos(),
                        start,
                        start + time.toNanos());
                numbers.add(fleet.send(jvm - 1, "contend " + order.encode()));
            }
            for (int worker = 0; worker < this.jvms; worker++) {
                fleet.await(worker, numbers.get(worker));
            }
            return ContentionResult.read(arena, this.jvms, this.threads);
        }
    }
}
