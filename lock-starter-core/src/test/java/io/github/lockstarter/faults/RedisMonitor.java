package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** What Redis executes while this is open, in that order: what the proxy saw may have been lost or come late. */
final class RedisMonitor implements AutoCloseable {

    private final RedisCli redis;

    private final RedisCli asking;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private RedisMonitor(RedisServer server) {
        this.redis = server.cli(Duration.ofMinutes(1));
        this.asking = server.cli();
        this.redis.command("MONITOR");
        Thread reader = new Thread(this::read, "redis-monitor");
        reader.setDaemon(true);
        reader.start();
    }

    static RedisMonitor of(RedisServer server) {
        return new RedisMonitor(server);
    }

    private void read() {
        try {
            while (true) {
                this.lines.add(String.valueOf(this.redis.read()));
            }
        } catch (UncheckedIOException ex) {
            // closed
        }
    }

    /** All calls of scripts for that key until now, successful or not; Redis must answer. */
    List<Script> scriptsOn(String key) {
        // What is executed is told a moment later, but in that order.
        String mark = UUID.randomUUID().toString();
        this.asking.command("ECHO", mark);
        soon().until(() -> this.lines.stream().anyMatch(line -> line.contains(mark)));
        return toldOf(key);
    }

    /** How many calls it has been told of; there may be more. */
    long count(Script script, String key) {
        return toldOf(key).stream().filter(each -> each == script).count();
    }

    private List<Script> toldOf(String key) {
        List<Script> calls = new ArrayList<>();
        for (String line : this.lines) {
            for (Script script : Script.values()) {
                if (script.isCalledIn(line) && line.contains('"' + key + '"')) {
                    calls.add(script);
                }
            }
        }
        return calls;
    }

    @Override
    public void close() {
        this.redis.close();
        this.asking.close();
    }
}
