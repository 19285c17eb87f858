package io.github.lockstarter.testsupport.history;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/** Writes a history. Each event is written immediately, because its process may be killed. Thread-safe. */
public final class HistoryLog implements AutoCloseable {

    /** Stands for all instances or all locks. */
    public static final String ALL = "*";

    private final ReentrantLock lock = new ReentrantLock();

    private final OutputStream out;

    private final String instance;

    private HistoryLog(String instance, OutputStream out) {
        this.instance = instance;
        this.out = out;
    }

    /** Opens the history of an instance; an existing file is continued. */
    public static HistoryLog to(Path file, String instance) {
        try {
            // Without a buffer, a line is one write.
            return new HistoryLog(
                    instance, Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Writes an event that happens now. */
    public void now(EventKind kind, String lockName, long attempt, long token, long time, String text) {
        at(System.nanoTime(), kind, lockName, attempt, token, time, text);
    }

    /** Writes an event with its time. */
    public void at(long at, EventKind kind, String lockName, long attempt, long token, long time, String text) {
        byte[] line = (new Event(at, this.instance, attempt, kind, lockName, token, time, text).line() + '\n')
                .getBytes(StandardCharsets.UTF_8);
        this.lock.lock();
        try {
            this.out.write(line);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } finally {
            this.lock.unlock();
        }
    }

    @Override
    public void close() {
        this.lock.lock();
        try {
            this.out.close();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } finally {
            this.lock.unlock();
        }
    }
}
