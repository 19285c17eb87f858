package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Publishes messages about grants again, some at once and some later, as they are. */
final class Repeater implements AutoCloseable {

    private static final String REPEATED = "repeater";

    private static final Pattern PUBLISHED = Pattern.compile(" lua\\] \"PUBLISH\" \"([^\"]*)\" \"([^\"]*)\"");

    private record Message(String channel, String text) {}

    private final RedisServer server;

    private final RedisCli monitor;

    private final BlockingQueue<Message> read = new LinkedBlockingQueue<>();

    private final AtomicInteger repeated = new AtomicInteger();

    private final Thread reader = new Thread(this::read, REPEATED + "-reader");

    private final Thread writer = new Thread(this::write, REPEATED + "-writer");

    private volatile boolean closed;

    private Repeater(RedisServer server) {
        this.server = server;
        this.monitor = server.cli(Duration.ofMinutes(1));
        this.reader.setDaemon(true);
        this.writer.setDaemon(true);
        this.reader.start();
        this.writer.start();
    }

    static Repeater of(RedisServer server) {
        return new Repeater(server);
    }

    /** From the monitor, because a further receiver would change what a release concludes from their number. */
    private void read() {
        try {
            this.monitor.command("MONITOR");
            while (true) {
                Matcher published = PUBLISHED.matcher(String.valueOf(this.monitor.read()));
                if (published.find()) {
                    this.read.add(new Message(published.group(1), published.group(2)));
                }
            }
        } catch (UncheckedIOException ex) {
            // Closed.
        }
    }

    private void write() {
        try (RedisCli publisher = this.server.cli()) {
            while (!this.closed) {
                Message message = this.read.poll(100, TimeUnit.MILLISECONDS);
                if (message != null) {
                    TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextInt(3_000));
                    publisher.command("PUBLISH", message.channel(), message.text());
                    this.repeated.incrementAndGet();
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns how many messages were published again. */
    int repeated() {
        return this.repeated.get();
    }

    @Override
    public void close() throws InterruptedException {
        this.closed = true;
        this.monitor.close();
        this.reader.join(5_000);
        this.writer.join(5_000);
    }
}
