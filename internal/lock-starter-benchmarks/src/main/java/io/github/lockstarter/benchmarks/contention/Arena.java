package io.github.lockstarter.benchmarks.contention;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that all JVMs of a measurement share: a mapped file. What the lock protects is here, so that exclusion is
 * checked where it counts and without asking the lock or Redis. Each thing that is written has a cache line of its own.
 */
public final class Arena implements AutoCloseable {

    /** Threads that fit in. */
    public static final int THREADS = 64;

    static final int LINE = 8;

    /** Hand-overs between JVMs that are kept; later ones are not. */
    static final int SAMPLES = 1 << 18;

    /** Longs of a sample: the whole hand-over, and its stages. */
    static final int SAMPLE = 1 + Stages.COUNT;

    private static final int FIRST_JVM = 8 * LINE;

    /** Behind the lines of seven JVMs. */
    private static final int FIRST_THREAD = 16 * LINE;

    private static final int FIRST_SAMPLE = FIRST_THREAD + THREADS * LINE;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Path file;

    private final boolean owner;

    private final MappedByteBuffer memory;

    private Arena(Path file, boolean owner) {
        this.file = file;
        this.owner = owner;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            this.memory = channel.map(
                    FileChannel.MapMode.READ_WRITE, 0, (long) Long.BYTES * (FIRST_SAMPLE + SAMPLE * SAMPLES));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** A new one, all zero; its file is gone when it is closed. */
    public static Arena create() {
        try {
            // where there is a file system in memory, no write waits for a disk
            Path shared = Path.of("/dev/shm");
            return new Arena(
                    Files.isWritable(shared)
                            ? Files.createTempFile(shared, "lock-arena-", "")
                            : Files.createTempFile("lock-arena-", ""),
                    true);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The one that another JVM has created. */
    public static Arena open(Path file) {
        return new Arena(file, false);
    }

    public Path file() {
        return this.file;
    }

    /** Plain access: only a lock orders it. */
    long get(int index) {
        return (long) LONGS.get(this.memory, index * Long.BYTES);
    }

    void set(int index, long value) {
        LONGS.set(this.memory, index * Long.BYTES, value);
    }

    /** For what is read while others may write it. */
    long getVolatile(int index) {
        return (long) LONGS.getVolatile(this.memory, index * Long.BYTES);
    }

    /** Sets the value if it is larger than the one there. */
    void raise(int index, long value) {
        long current = getVolatile(index);
        while (current < value && !LONGS.compareAndSet(this.memory, index * Long.BYTES, current, value)) {
            current = getVolatile(index);
        }
    }

    long getAndAdd(int index, long delta) {
        return (long) LONGS.getAndAdd(this.memory, index * Long.BYTES, delta);
    }

    static int thread(int number) {
        return FIRST_THREAD + number * LINE;
    }

    /** The line of a JVM; numbers begin at 1. */
    static int jvm(int number) {
        return FIRST_JVM + number * LINE;
    }

    static int sample(int number) {
        return FIRST_SAMPLE + SAMPLE * number;
    }

    @Override
    public void close() {
        if (this.owner) {
            try {
                Files.deleteIfExists(this.file);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }
}
