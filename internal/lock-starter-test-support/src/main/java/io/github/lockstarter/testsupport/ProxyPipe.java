package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One direction of a proxied connection. One thread reads, so that the end of the connection is seen at once; a second
 * one passes the frames on, in order, when their time has come.
 */
final class ProxyPipe {

    /** What becomes of the frames. */
    interface Sink {

        /** Called by the reading thread. */
        void arrived(RespFrame frame);

        /** Called by the writing thread, as {@link #end}. */
        void pass(RespFrame frame) throws IOException, InterruptedException;

        /** Nothing more will be passed: the stream has ended, was aborted, or could not be written. */
        void end(boolean failed);

        /** Called last, once by each of the two threads. */
        void finished();
    }

    /** A frame, or the end of the stream, and the earliest moment at which it may go on. */
    private record Due(@Nullable RespFrame frame, long nanoTime) {}

    /** A thread that is parked continues about so much later than it should. */
    private static final long TIMER_NANOS = TimeUnit.MICROSECONDS.toNanos(60);

    private static final Logger log = LoggerFactory.getLogger(ProxyPipe.class);

    private final Socket source;
    private final ProxyFaults faults;
    private final Sink sink;
    private final BlockingQueue<Due> underway = new LinkedBlockingQueue<>();
    private final Thread reader;
    private final Thread writer;

    ProxyPipe(String name, Socket source, ProxyFaults faults, Sink sink) {
        this.source = source;
        this.faults = faults;
        this.sink = sink;
        this.reader = new Thread(this::read, name + "-reader");
        this.writer = new Thread(this::write, name + "-writer");
        reader.setDaemon(true);
        writer.setDaemon(true);
    }

    void start() {
        reader.start();
        writer.start();
    }

    /** Drops what is underway; nothing is passed on after the frame that is being written. */
    void abort() {
        writer.interrupt();
    }

    /** Waits until the socket that was closed is no longer being read: before that the system keeps it open. */
    void awaitReader() {
        Closing.join(reader);
    }

    private void read() {
        try {
            RespReader frames = new RespReader(source.getInputStream());
            for (RespFrame frame = frames.next(); frame != null; frame = frames.next()) {
                sink.arrived(frame);
                underway.add(new Due(frame, System.nanoTime() + faults.delayNanos()));
            }
        } catch (IOException e) {
            log.debug("{} ends: {}", reader.getName(), e.toString());
        } finally {
            underway.add(new Due(null, System.nanoTime() + faults.delayNanos()));
            sink.finished();
        }
    }

    private void write() {
        boolean failed = false;
        try {
            for (RespFrame frame = next(); frame != null; frame = next()) {
                sink.pass(frame);
            }
        } catch (InterruptedException e) {
            log.debug("{} aborted", writer.getName());
        } catch (IOException | RuntimeException e) {
            failed = true;
            log.debug("{} ends", writer.getName(), e);
        } finally {
            sink.end(failed);
            sink.finished();
        }
    }

    private @Nullable RespFrame next() throws InterruptedException {
        Due due = underway.take();
        await(due.nanoTime());
        return due.frame();
    }

    /** {@code Thread.sleep} rounds up to a millisecond before Java 21. */
    private static void await(long nanoTime) throws InterruptedException {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (left > TIMER_NANOS) {
                LockSupport.parkNanos(left - TIMER_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
