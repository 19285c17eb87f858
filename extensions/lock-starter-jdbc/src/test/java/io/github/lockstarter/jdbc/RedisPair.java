package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.Replication;
import java.util.List;

/** A master, and a replica that can be disconnected from it and promoted. */
final class RedisPair implements AutoCloseable {

    /** No server listens there, so that a replica with this master receives nothing. */
    private static final String NO_SERVER = "1";

    private RedisServer master = start();

    private RedisServer replica = start();

    RedisPair() {
        connect();
    }

    private static RedisServer start() {
        return RedisServer.start("--repl-diskless-sync-delay", "0");
    }

    RedisServer master() {
        return this.master;
    }

    /** Makes the replica one of the master again, and waits until it has received all. */
    void connect() {
        replicaOf("127.0.0.1", Integer.toString(this.master.port()));
        Replication.awaitInSync(this.master, List.of(this.replica));
    }

    private void replicaOf(String host, String port) {
        try (RedisCli cli = this.replica.cli()) {
            assertThat(cli.command("REPLICAOF", host, port)).asString().startsWith("OK");
        }
    }

    /** Lets the replica receive nothing more of what the master writes. */
    void disconnect() {
        replicaOf("127.0.0.1", NO_SERVER);
    }

    /** Makes the replica a master, beside the present one, and returns it. */
    RedisServer promote() {
        replicaOf("NO", "ONE");
        return this.replica;
    }

    /** Kills the master, and returns the replica, which is the master from now on. */
    RedisServer failOver() {
        this.master.kill();
        RedisServer promoted = promote();
        this.replica = this.master;
        this.master = promoted;
        return promoted;
    }

    /** Restarts the server that was killed, as a replica of the other one. */
    void restartReplica() {
        this.replica.restart();
        connect();
    }

    @Override
    public void close() {
        this.replica.close();
        this.master.close();
    }
}
