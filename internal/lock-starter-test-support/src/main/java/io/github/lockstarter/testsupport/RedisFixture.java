package io.github.lockstarter.testsupport;

/** The server that the tests of a JVM share, and its proxy. JUnit closes it at the end of the run. */
final class RedisFixture implements AutoCloseable {

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.inFrontOf(server.port());

    RedisServer server() {
        return server;
    }

    FaultProxy proxy() {
        return proxy;
    }

    /** Whatever the last test did: a server that runs, with nothing in it, behind a network that works. */
    void reset() {
        server.resume();
        if (!server.isRunning()) {
            server.restart();
        }
        proxy.heal();
        try (RedisCli cli = server.cli()) {
            cli.command("CLIENT", "UNPAUSE");
            cli.command("CONFIG", "SET", "maxmemory", "0");
            cli.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
            cli.flushall();
            cli.command("CONFIG", "RESETSTAT");
        }
        proxy.forgetCommands();
    }

    @Override
    public void close() {
        proxy.close();
        server.close();
    }
}
