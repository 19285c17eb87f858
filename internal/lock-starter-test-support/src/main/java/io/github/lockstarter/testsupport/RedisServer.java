package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Redis server of its own, on the loopback interface, that keeps its port for life and nothing else: no
 * persistence, so a restart loses all keys, unless it is started with {@code "--appendonly", "yes"} and
 * {@code "--appendfsync", "always"}. Gone with {@link #close()}, at the latest with this JVM.
 *
 * <p>Which one is used says {@code -Dlock.test.redis=auto|local|embedded|docker}; the log names it.
 */
public final class RedisServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RedisServer.class);

    private final RedisBackend backend;
    private final @Nullable String password;
    private final Thread atExit = new Thread(this::remove, "redis-at-exit");
    private boolean paused;
    private boolean closed;

    private RedisServer(RedisBackend backend, @Nullable String password) {
        this.backend = backend;
        this.password = password;
    }

    /** Starts a server and waits until it answers; options as on the command line, {@code "--maxmemory", "10mb"}. */
    public static RedisServer start(String... options) {
        return start(RedisBackends.configured().create(List.of(options)), null);
    }

    /** Starts one of many that belong together. */
    static RedisServer startMember(LocalRedis backend) {
        return start(backend, null);
    }

    /** Starts one of many that belong together, to which clients come with a password. */
    static RedisServer startProtected(String password, List<String> options) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("--requirepass", password));
        return start(new LocalRedis(RedisBackends.forTopologies(), null, all), password);
    }

    /** Starts one of those that watch over others. */
    public static RedisServer startSentinel(String configuration) {
        return start(new LocalRedis(RedisBackends.forTopologies(), configuration, List.of("--sentinel")), null);
    }

    private static RedisServer start(RedisBackend backend, @Nullable String password) {
        RedisServer server = new RedisServer(backend, password);
        Runtime.getRuntime().addShutdownHook(server.atExit);
        try {
            server.backend.start();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        log.info("Redis on port {}, {}", server.port(), server.backend.describe());
        return server;
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return backend.port();
    }

    public String uri() {
        return "redis://" + host() + ":" + port();
    }

    /** The id of the process that runs now; another one after a restart. */
    public long pid() {
        return backend.pid();
    }

    /** A new connection to it; the caller closes it. */
    public RedisCli cli() {
        return authenticated(RedisCli.connect(port()));
    }

    /** A new connection to it whose replies may take as long as given; the caller closes it. */
    public RedisCli cli(Duration timeout) {
        return authenticated(RedisCli.connect(port(), timeout));
    }

    private RedisCli authenticated(RedisCli cli) {
        if (password != null) {
            cli.command("AUTH", password);
        }
        return cli;
    }

    /** Whether its process is there, frozen or not. */
    public synchronized boolean isRunning() {
        return backend.isRunning();
    }

    public synchronized boolean isPaused() {
        return paused;
    }

    /** Shuts it down as an administrator would (SIGTERM). */
    public synchronized void stop() {
        if (isRunning()) {
            resume();
            backend.stop();
        }
    }

    /** Ends it on the spot (SIGKILL), frozen or not. */
    public synchronized void kill() {
        if (isRunning()) {
            backend.kill();
        }
        paused = false;
    }

    /** Freezes it: connections stay open, and the system even accepts new ones, but nothing is answered. */
    public synchronized void pause() {
        if (!paused) {
            backend.pause();
            paused = true;
        }
    }

    /** Ends a {@link #pause()}; what has arrived meanwhile is executed. */
    public synchronized void resume() {
        if (paused) {
            backend.resume();
            paused = false;
        }
    }

    /** Kills it if it runs, and starts it on the same port: empty, or with what its append-only file has kept. */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        kill();
        backend.start();
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the JVM is ending already
        }
    }

    private synchronized void remove() {
        if (!closed) {
            closed = true;
            paused = false;
            backend.remove();
        }
    }
}
