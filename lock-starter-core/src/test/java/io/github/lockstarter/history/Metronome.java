package io.github.lockstarter.history;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Notices that this process has stood still, for whatever reason, and writes it down. */
final class Metronome implements AutoCloseable {

    private static final long BEAT = Duration.ofMillis(20).toNanos();

    private static final long NOTABLE = Duration.ofMillis(100).toNanos();

    private final HistoryLog log;

    private volatile boolean closed;

    private Metronome(HistoryLog log) {
        this.log = log;
    }

    static Metronome start(HistoryLog log) {
        Metronome metronome = new Metronome(log);
        Thread thread = new Thread(metronome::beat, "metronome");
        thread.setDaemon(true);
        thread.start();
        return metronome;
    }

    private void beat() {
        long last = System.nanoTime();
        while (!this.closed) {
            LockSupport.parkNanos(BEAT);
            long now = System.nanoTime();
            if (now - last > NOTABLE) {
                this.log.at(now, EventKind.STOOD_STILL, Troubles.ALL, 0, 0, last, "");
            }
            last = now;
        }
    }

    @Override
    public void close() {
        this.closed = true;
    }
}
