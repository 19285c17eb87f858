package io.github.lockstarter.sample.redis;

import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Notes in the database which instances run on it, and with which Redis.
 *
 * <p>The lock keeps apart only those who ask the same Redis. Two instances on one database, each with a Redis of its
 * own, would both be granted the same lock at the same time, and nothing would look wrong. The database is the one
 * thing that such instances share, so this is where they find each other.
 */
class RunningInstances implements AutoCloseable {

    private final String id = UUID.randomUUID().toString();
    private final JdbcClient jdbc;
    private final TransactionOperations transaction;
    private final LaunchCommand command;

    RunningInstances(JdbcClient jdbc, TransactionOperations transaction, LaunchCommand command) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.command = command;
    }

    /** Starts a Redis, and notes it; refused, before anything is started, while another instance uses the database. */
    EmbeddedRedis startFirst(Supplier<EmbeddedRedis> starter) {
        return transaction.execute(status -> {
            passGate();
            refuseBesideOthers();
            EmbeddedRedis redis = starter.get();
            note(RedisAddress.of(redis.connectionDetails()));
            return redis;
        });
    }

    /** Notes a Redis that somebody configured. */
    void join(RedisAddress redis) {
        transaction.executeWithoutResult(status -> {
            passGate();
            note(redis);
        });
    }

    /** Instances that start at the same time come in one by one: the row stays locked until the transaction ends. */
    private void passGate() {
        jdbc.sql("select id from start_gate for update").query(Integer.class).single();
    }

    private void refuseBesideOthers() {
        jdbc.sql("select nodes, options from running_instance").query(RedisAddress.class).list().stream()
                .filter(RedisAddress::isAlive)
                .findFirst()
                .ifPresent(redis -> {
                    throw new StartRefusedException(
                            "Another instance uses this database, with the Redis at " + redis.nodes() + ".\n"
                                    + "With a second Redis, both would hold the same lock at the same time.",
                            "Let this instance use the same Redis (and its password, if it has one):\n\n    "
                                    + command.with(redis.options()));
                });
        // what crashed instances left behind
        jdbc.sql("delete from running_instance").update();
    }

    private void note(RedisAddress redis) {
        jdbc.sql("insert into running_instance (id, nodes, options) values (:id, :nodes, :options)")
                .param("id", id)
                .param("nodes", redis.nodes())
                .param("options", redis.options())
                .update();
    }

    @Override
    public void close() {
        jdbc.sql("delete from running_instance where id = :id").param("id", id).update();
    }
}
