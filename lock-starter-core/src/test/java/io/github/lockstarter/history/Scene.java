package io.github.lockstarter.history;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.LockStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A short history of a few contenders, played by the thread of a test, step by step, and what the checker says of it. */
final class Scene implements AutoCloseable {

    private final Path directory;

    private final Limits limits;

    private final List<Path> files = new ArrayList<>();

    private final List<AutoCloseable> open = new ArrayList<>();

    Scene(Limits limits) {
        this.limits = limits;
        try {
            this.directory = Files.createTempDirectory("history-");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Someone who gets locks from there. */
    Contender contender(String name, LockSource locks) {
        return new Contender(locks, log(name));
    }

    /** Someone who uses the real locks. */
    Contender client(String name, int port, Pace pace) {
        return client(name, port, pace, store -> store);
    }

    /** As {@link #client(String, int, Pace)}, with a store around that of Redis. */
    Contender client(String name, int port, Pace pace, UnaryOperator<LockStore> around) {
        HistoryLog log = log(name);
        Client client = Client.start(port, pace, Client.Style.USUAL, log, around);
        this.open.add(client);
        return client.contender(log);
    }

    HistoryLog log(String name) {
        Path file = this.directory.resolve(name + ".log");
        this.files.add(file);
        HistoryLog log = HistoryLog.to(file, name);
        this.open.add(log);
        return log;
    }

    static LockRequest job(Duration wait) {
        return LockRequest.of("job").withWaitTime(wait);
    }

    /** A lease that is not renewed. */
    static LockRequest job(Duration wait, Duration lease) {
        return job(wait).withLease(lease);
    }

    History history() {
        return History.read(this.files);
    }

    List<String> violations() {
        return HistoryChecker.violations(history(), this.limits);
    }

    @Override
    public void close() throws Exception {
        for (int i = this.open.size() - 1; i >= 0; i--) {
            this.open.get(i).close();
        }
        for (Path file : this.files) {
            Files.deleteIfExists(file);
        }
        Files.delete(this.directory);
    }
}
