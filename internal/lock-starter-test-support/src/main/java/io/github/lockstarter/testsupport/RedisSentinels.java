package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master, two replicas and three sentinels on the loopback interface, which notice within little more than a second
 * that a master does not answer. Gone with {@link #close()}, at the latest with this JVM.
 */
public final class RedisSentinels implements AutoCloseable {

    /** What the sentinels call the master. */
    public static final String MASTER_NAME = SentinelView.MASTER_NAME;

    /**
     * What clients need for the master; without one, a sentinel that was disconnected would come again as the default
     * user.
     */
    public static final String PASSWORD = "open sesame";

    private static final Logger log = LoggerFactory.getLogger(RedisSentinels.class);

    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;

    /** Sentinels open their connections anew once a second: with less they mourn a master that they have just made. */
    private static final int DOWN_AFTER_MILLIS = 1200;

    /** Replicas and sentinels come as this user, so that a master can be cut off from them alone. */
    private static final String PEERS = "peers";

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /**
     * Starts them and waits until all know each other; options, as on the command line, are for master and replicas.
     */
    public static RedisSentinels start(String... options) {
        RedisSentinels topology = new RedisSentinels();
        try {
            topology.startServers(List.of(options));
            topology.startSentinels();
            topology.awaitReady();
        } catch (RuntimeException e) {
            topology.close();
            throw e;
        }
        log.info("Sentinels on ports {}", topology.sentinelPorts());
        return topology;
    }

    private void startServers(List<String> given) {
        List<String> options = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
        options.addAll(List.of("--user", PEERS, "on", "nopass", "~*", "&*", "+@all"));
        options.addAll(List.of("--masteruser", PEERS, "--masterauth", "any"));
        options.addAll(given);
        for (int i = 0; i <= REPLICAS; i++) {
            servers.add(RedisServer.startProtected(PASSWORD, options));
        }
        servers.subList(1, servers.size()).forEach(replica -> follow(replica, servers.get(0)));
        Replication.awaitInSync(servers.get(0), servers.subList(1, servers.size()));
    }

    private void startSentinels() {
        String configuration = String.join(
                "\n",
                "sentinel monitor " + MASTER_NAME + " 127.0.0.1 "
                        + servers.get(0).port() + " " + SentinelView.QUORUM,
                "sentinel auth-user " + MASTER_NAME + " " + PEERS,
                "sentinel auth-pass " + MASTER_NAME + " any",
                "sentinel down-after-milliseconds " + MASTER_NAME + " " + DOWN_AFTER_MILLIS,
                "sentinel failover-timeout " + MASTER_NAME + " 3000",
                "sentinel parallel-syncs " + MASTER_NAME + " " + REPLICAS,
                "");
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(RedisServer.startSentinel(configuration));
        }
    }

    /** In the order in which clients should be given them. */
    public List<Integer> sentinelPorts() {
        return sentinels.stream().map(RedisServer::port).toList();
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Master and replicas, dead or alive. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The master, as most sentinels see it; waits until they agree, which takes a while after a failover. */
    public RedisServer master() {
        return Awaiting.servers("sentinels agree on a master")
                .until(this::agreedMaster, Optional::isPresent)
                .orElseThrow();
    }

    private Optional<RedisServer> agreedMaster() {
        int port = SentinelView.agreedMasterPort(sentinels);
        return servers.stream().filter(server -> server.port() == port).findFirst();
    }

    /** All but the master, dead or alive. */
    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers.stream().filter(server -> server != master).toList();
    }

    /** Waits until another than this one is the master: in its own opinion, and for all sentinels that answer. */
    public RedisServer awaitMasterOtherThan(RedisServer old) {
        Awaiting.servers("another master than " + old.port()).until(() -> {
            List<Integer> named = SentinelView.masterPorts(sentinels);
            return named.size() >= SentinelView.QUORUM
                    && named.stream().distinct().count() == 1
                    && named.get(0) != old.port()
                    && isMasterItself();
        });
        return master();
    }

    /** Whether most sentinels name a server that says so, too. */
    private boolean isMasterItself() {
        return agreedMaster()
                .filter(server -> Replication.of(server).isMaster())
                .isPresent();
    }

    /**
     * Has the sentinels promote a replica, and waits for it. The old master learns of it only seconds later: until then
     * it goes on as a master for those who are connected to it.
     */
    public RedisServer failOver() {
        RedisServer old = master();
        SentinelView.failOver(sentinels.get(0));
        return awaitMasterOtherThan(old);
    }

    /** Makes a server a replica of another, without breaking off its clients, as an administrator may. */
    public void follow(RedisServer replica, RedisServer master) {
        try (RedisCli cli = replica.cli()) {
            cli.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
        }
    }

    /** Waits until the replicas that run have all that the master has written until now. */
    public void awaitInSync() {
        Replication.awaitInSync(
                master(), replicas().stream().filter(RedisServer::isRunning).toList());
    }

    /** What the master writes from now on gets to no replica; each is frozen until its {@link RedisServer#resume()}. */
    public void cutReplication() {
        Replication.cut(master(), replicas());
    }

    /** Cuts a server off from sentinels and replicas; everybody else still reaches it. */
    public void isolate(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            cli.command("ACL", "SETUSER", PEERS, "off");
            cli.command("CLIENT", "KILL", "USER", PEERS);
        }
    }

    /** Ends {@link #isolate}. */
    public void reconnect(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            cli.command("ACL", "SETUSER", PEERS, "on");
        }
    }

    /**
     * Whatever happened: all run, one is the master and the others follow it, all sentinels agree, nothing is in it.
     */
    public void heal() {
        // one that goes on after a pause does nothing for half a minute, because it trusts no clock
        sentinels.stream().filter(RedisServer::isPaused).forEach(RedisServer::kill);
        servers.forEach(RedisServer::resume);
        allServers().stream().filter(server -> !server.isRunning()).forEach(RedisServer::restart);
        servers.forEach(this::reconnect);
        Awaiting.servers("a master").until(this::isMasterItself);
        RedisServer master = master();
        for (RedisServer replica : replicas()) {
            if (!Replication.of(replica).follows(master)) {
                follow(replica, master);
            }
        }
        awaitReady();
        for (RedisServer server : servers) {
            try (RedisCli cli = server.cli()) {
                cli.command("CONFIG", "SET", "min-replicas-to-write", "0");
            }
        }
        try (RedisCli cli = master.cli()) {
            cli.flushall();
        }
        awaitInSync();
    }

    private void awaitReady() {
        for (RedisServer sentinel : sentinels) {
            Awaiting.servers("sentinel on port " + sentinel.port() + " knows all")
                    .until(() -> SentinelView.of(sentinel).isCalm(REPLICAS, SENTINELS - 1));
        }
        awaitInSync();
    }

    private List<RedisServer> allServers() {
        List<RedisServer> all = new ArrayList<>(servers);
        all.addAll(sentinels);
        return all;
    }

    @Override
    public void close() {
        // the sentinels first, so that they do not mourn the others
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
