package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** A place in the fleet: one worker after the other, all behind the same bad network. */
final class Member implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final String place;

    private final FaultProxy network;

    private final BiFunction<String, Path, WorkerJvm> launch;

    private final Path directory;

    private final List<Path> files = new ArrayList<>();

    private WorkerJvm process;

    private int generation;

    Member(String place, FaultProxy network, Path directory, BiFunction<String, Path, WorkerJvm> launch) {
        this.place = place;
        this.network = network;
        this.directory = directory;
        this.launch = launch;
        start();
    }

    void start() {
        this.generation++;
        Path file = this.directory.resolve(name() + ".log");
        this.files.add(file);
        this.process = this.launch.apply(name(), file);
    }

    void awaitReady() throws InterruptedException {
        this.process.awaitLine("ready"::equals, START);
    }

    /** The name of the instance that runs now. */
    String name() {
        return this.place + '.' + this.generation;
    }

    FaultProxy network() {
        return this.network;
    }

    void pause() {
        this.process.pause();
    }

    void resume() {
        this.process.resume();
    }

    void kill() {
        this.process.kill();
    }

    /** Lets it finish what it is doing. */
    void finish() throws InterruptedException {
        awaitReady();
        this.process.send("stop");
        this.process.awaitLine("done"::equals, START);
    }

    List<Path> files() {
        return this.files;
    }

    @Override
    public void close() {
        this.process.close();
        this.network.close();
    }
}
