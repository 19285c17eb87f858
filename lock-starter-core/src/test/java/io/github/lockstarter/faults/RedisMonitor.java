package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What Redis executes while this is open, in that order: what the proxy saw may have been lost or come late. */
final class RedisMonitor implements AutoCloseable {

    private final RedisCli redis;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private RedisMonitor(RedisServer server) {
        this.redis = server.cli(Duration.ofMinutes(1));
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

    /** Calls of scripts for that key, successful or not. */
    List<Script> scriptsOn(String key) {
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

    long count(Script script, String key) {
        return scriptsOn(key).stream().filter(each -> each == script).count();
    }

    @Override
    public void close() {
        this.redis.close();
    }
}
