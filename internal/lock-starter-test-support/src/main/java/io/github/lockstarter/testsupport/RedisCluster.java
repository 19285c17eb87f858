package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.awaitility.core.ConditionTimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster on the loopback interface: three masters with a replica each, or any number of masters alone. What a dead
 * shard does not serve, the others go on with. Gone with {@link #close()}, at the latest with this JVM.
 */
public final class RedisCluster implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RedisCluster.class);

    private static final int SLOTS = 16_384;

    /** After half a second more at the least, the replica of a master that does not answer takes over. */
    private static final String NODE_TIMEOUT_MILLIS = "1500";

    /** After this time the replica has given up. */
    private static final Duration FAILOVER_LIMIT = Duration.ofSeconds(6);

    private static final int FAILOVER_ATTEMPTS = 4;

    /** What a {@code CLUSTER FAILOVER} does with the old master. */
    public enum Takeover {
        /** Has it wait until the replica has everything. */
        GRACEFUL,
        /** Asks the other masters for their votes only. */
        FORCE,
        /** Asks no node. */
        TAKEOVER
    }

    private final List<RedisServer> nodes = new ArrayList<>();

    private final int shards;

    private final int replicas;

    private RedisCluster(int shards, int replicas) {
        this.shards = shards;
        this.replicas = replicas;
    }

    /** Starts it and waits until it serves all slots; options, as on the command line, are for each node. */
    public static RedisCluster start(String... options) {
        return start(new RedisCluster(3, 3), options);
    }

    /** Starts a cluster of that many masters without replicas; otherwise as {@link #start}. */
    public static RedisCluster startMasters(int count) {
        return start(new RedisCluster(count, 0));
    }

    private static RedisCluster start(RedisCluster cluster, String... options) {
        try {
            cluster.startNodes(List.of(options));
            cluster.join();
            cluster.awaitReady();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        log.info("Redis Cluster on ports {}", cluster.ports());
        return cluster;
    }

    private void startNodes(List<String> given) {
        for (int i = 0; i < shards + replicas; i++) {
            List<String> options = new ArrayList<>(List.of("--cluster-node-timeout", NODE_TIMEOUT_MILLIS));
            options.addAll(List.of("--cluster-require-full-coverage", "no"));
            options.addAll(List.of("--cluster-allow-replica-migration", "no"));
            options.addAll(List.of("--repl-diskless-sync-delay", "0"));
            options.addAll(given);
            nodes.add(ClusterNode.start(options));
        }
    }

    private void join() {
        for (int i = 0; i < nodes.size(); i++) {
            command(nodes.get(i), "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        }
        for (int i = 0; i < shards; i++) {
            ClusterNode.addSlots(nodes.get(i), i * SLOTS / shards, (i + 1) * SLOTS / shards);
        }
        for (RedisServer node : nodes.subList(1, nodes.size())) {
            String busPort = Integer.toString(ClusterNode.busPort(node));
            command(nodes.get(0), "CLUSTER", "MEET", "127.0.0.1", Integer.toString(node.port()), busPort);
        }
        for (RedisServer node : nodes) {
            Awaiting.servers("all nodes known to " + node.port())
                    .until(() -> ClusterView.of(node).knows(nodes));
        }
        for (int i = 0; i < replicas; i++) {
            command(nodes.get(shards + i), "CLUSTER", "REPLICATE", id(nodes.get(i)));
        }
    }

    public List<Integer> ports() {
        return nodes.stream().map(RedisServer::port).toList();
    }

    /** All nodes, dead or alive. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The masters of the shards, as a node that answers sees it. */
    public List<RedisServer> masters() {
        return withPorts(ClusterView::masterPorts);
    }

    /** The node that serves a key, as a node that answers sees it. */
    public RedisServer masterOf(String key) {
        return withPorts(view -> List.of(view.masterPortOf(slotOf(key)))).get(0);
    }

    /** The replica of the shard of a key. */
    public RedisServer replicaOf(String key) {
        return withPorts(view -> List.of(view.replicaPortOf(slotOf(key)))).get(0);
    }

    /** Which of 16,384 slots a key is in. */
    public int slotOf(String key) {
        RedisServer any = anyThatAnswers();
        return Math.toIntExact((Long) command(any, "CLUSTER", "KEYSLOT", key));
    }

    /** Waits until another than this one serves a key, for all nodes that answer. */
    public RedisServer awaitMasterOtherThan(RedisServer old, String key) {
        return awaitMasterOtherThan(old, key, Awaiting.LIMIT);
    }

    private RedisServer awaitMasterOtherThan(RedisServer old, String key, Duration limit) {
        int slot = slotOf(key);
        Awaiting.servers("another master than " + old.port())
                .atMost(limit)
                .until(() -> answering().stream()
                        .filter(node -> node != old)
                        .map(node -> ClusterView.of(node).masterPortOf(slot))
                        .allMatch(port -> port > 0 && port != old.port()));
        return masterOf(key);
    }

    /** Has the replica of a key's shard take over, and waits for it. */
    public RedisServer failOver(String key, Takeover takeover) {
        RedisServer old = masterOf(key);
        RedisServer replica = replicaOf(key);
        String[] command = takeover == Takeover.GRACEFUL
                ? new String[] {"CLUSTER", "FAILOVER"}
                : new String[] {"CLUSTER", "FAILOVER", takeover.name()};
        for (int attempt = 1; ; attempt++) {
            command(replica, command);
            try {
                return awaitMasterOtherThan(old, key, FAILOVER_LIMIT);
            } catch (ConditionTimeoutException e) {
                // masters that have voted for this shard a moment ago do not vote again
                if (attempt == FAILOVER_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Starts to move the slot of a key to another shard. */
    public SlotMigration migrate(String key) {
        RedisServer source = masterOf(key);
        RedisServer target = masters().stream()
                .filter(master -> master != source)
                .findFirst()
                .orElseThrow();
        return SlotMigration.begin(slotOf(key), source, target, masters());
    }

    /** Waits until the replica of a key's shard has all that the master has written until now. */
    public void awaitInSync(String key) {
        Replication.awaitInSync(masterOf(key), List.of(replicaOf(key)));
    }

    /** What the master of a key writes from now on does not get to its replica, which is frozen until it is resumed. */
    public void cutReplication(String key) {
        Replication.cut(masterOf(key), List.of(replicaOf(key)));
    }

    /** Whatever happened: all nodes run, each shard has a master and a replica of it, and nothing is in them. */
    public void heal() {
        nodes.forEach(RedisServer::resume);
        nodes.stream().filter(node -> !node.isRunning()).forEach(RedisServer::restart);
        awaitReady();
        for (RedisServer master : masters()) {
            command(master, "FLUSHALL");
        }
    }

    /** A command for the node that serves a key; the key is not added to it. */
    public Object command(String key, String... command) {
        return command(masterOf(key), command);
    }

    private void awaitReady() {
        for (RedisServer node : nodes) {
            Awaiting.servers("cluster complete for " + node.port()).until(() -> {
                ClusterView view = ClusterView.of(node);
                return view.knows(nodes)
                        && view.covers(SLOTS)
                        && view.replicas() == replicas
                        && command(node, "CLUSTER", "INFO").toString().contains("cluster_state:ok");
            });
        }
        for (RedisServer node : nodes) {
            Awaiting.servers("replication of " + node.port()).until(() -> {
                Replication replication = Replication.of(node);
                return replication.isMaster() || replication.isUp();
            });
        }
    }

    private static String id(RedisServer node) {
        return (String) command(node, "CLUSTER", "MYID");
    }

    private List<RedisServer> answering() {
        return nodes.stream()
                .filter(node -> node.isRunning() && !node.isPaused())
                .toList();
    }

    private RedisServer anyThatAnswers() {
        return answering().get(0);
    }

    private List<RedisServer> withPorts(Function<ClusterView, List<Integer>> choice) {
        List<Integer> ports = choice.apply(ClusterView.of(anyThatAnswers()));
        return ports.stream()
                .map(port -> nodes.stream()
                        .filter(node -> node.port() == port)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("No such node")))
                .toList();
    }

    private static Object command(RedisServer node, String... command) {
        try (RedisCli cli = node.cli()) {
            return Objects.requireNonNull(cli.command(command));
        }
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
