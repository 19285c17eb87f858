package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A slot that is being moved from one shard to another. Keys that are there stay for the time being; what is not there
 * any more is asked of the target.
 */
public final class SlotMigration {

    private static final int TIMEOUT_MILLIS = 5000;
    private static final int KEYS_AT_ONCE = 100;

    private final String slot;
    private final RedisServer source;
    private final RedisServer target;
    private final List<RedisServer> masters;

    private SlotMigration(int slot, RedisServer source, RedisServer target, List<RedisServer> masters) {
        this.slot = Integer.toString(slot);
        this.source = source;
        this.target = target;
        this.masters = masters;
    }

    static SlotMigration begin(int slot, RedisServer source, RedisServer target, List<RedisServer> masters) {
        SlotMigration migration = new SlotMigration(slot, source, target, masters);
        command(target, "CLUSTER", "SETSLOT", migration.slot, "IMPORTING", id(source));
        command(source, "CLUSTER", "SETSLOT", migration.slot, "MIGRATING", id(target));
        return migration;
    }

    public RedisServer source() {
        return source;
    }

    public RedisServer target() {
        return target;
    }

    /** Moves the keys that are in the slot now; returns how many. */
    public int moveKeys() {
        List<?> keys = (List<?>) command(source, "CLUSTER", "GETKEYSINSLOT", slot, Integer.toString(KEYS_AT_ONCE));
        if (!keys.isEmpty()) {
            List<String> migrate = new ArrayList<>(List.of("MIGRATE", "127.0.0.1", Integer.toString(target.port())));
            migrate.addAll(List.of("", "0", Integer.toString(TIMEOUT_MILLIS), "KEYS"));
            keys.forEach(key -> migrate.add(String.valueOf(key)));
            command(source, migrate.toArray(String[]::new));
        }
        return keys.size();
    }

    /** Makes the target the owner of the slot, for all shards; moves what has come into it meanwhile. */
    public void finish() {
        moveKeys();
        String owner = id(target);
        command(target, "CLUSTER", "SETSLOT", slot, "NODE", owner);
        command(source, "CLUSTER", "SETSLOT", slot, "NODE", owner);
        for (RedisServer master : masters) {
            command(master, "CLUSTER", "SETSLOT", slot, "NODE", owner);
        }
    }

    private static String id(RedisServer node) {
        return (String) command(node, "CLUSTER", "MYID");
    }

    private static Object command(RedisServer node, String... command) {
        try (RedisCli cli = node.cli()) {
            return Objects.requireNonNull(cli.command(command));
        }
    }
}
