package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.get;
import static io.github.lockstarter.store.redis.ConnectedStore.renew;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The store at several servers: which of them commands and confirmations go to. */
@TopologyTest
class StoreTopologyTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static ConnectedStore store(LettuceConnectionFactory servers, int replicas) {
        return new ConnectedStore(
                        "one",
                        servers,
                        new RedisStoreSettings(
                                "lock", TIMEOUT, true, Duration.ofSeconds(1), true, true, replicas, MessageMode.AUTO))
                .connected();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldUseAllNodesOfACluster(int replicas, RedisCluster cluster) {
        try (ConnectedStore store = store(Servers.of(cluster), replicas)) {
            List<String> names =
                    IntStream.range(0, 20).mapToObj(i -> "slot-" + i).toList();
            names.forEach(name -> assertThat(store.granted(name, "me")).isPositive());
            for (Way way : Way.values()) {
                names.forEach(name -> assertThat(store.execute(way, new Command.RenewAll(List.of(renew(name, "me")))))
                        .isEqualTo(new Reply.RenewedAll(List.of(Reply.Renewed.INSTANCE))));
                assertThat(store.execute(way, renew("free", "me"))).isEqualTo(Reply.NotOwner.FREE);
                names.forEach(name -> {
                    LockHolder instance = new LockHolder(name, "shop", null, null, null);
                    store.execute(way, new Command.PublishInstance(instance, 10_000));
                    assertThat(store.execute(way, new Command.FindInstance(name)))
                            .isEqualTo(new Reply.Instance(instance));
                });
            }
            assertThat(store.store().renewalBatchSize()).isOne();
        }
    }

    /** Also a script that no command has called yet. */
    @Test
    void shouldLoadScriptsAtEachMasterThatItConnectsTo(RedisCluster cluster) {
        cluster.masters().forEach(master -> master.cli().command("SCRIPT", "FLUSH"));
        try (ConnectedStore store = store(Servers.of(cluster), 0)) {
            IntStream.range(0, 20).forEach(i -> store.granted("slot-" + i, "me"));

            for (RedisServer master : cluster.masters()) {
                soon().until(() ->
                        List.of(1L).equals(master.cli().command("SCRIPT", "EXISTS", LuaScript.DOWNGRADE.getSha1())));
            }
        }
    }

    @Test
    void shouldDescribeTheServer(RedisCluster cluster, RedisSentinels sentinels) {
        assertThatServerIs("cluster", cluster.masters().get(0), Servers.of(cluster));
        assertThatServerIs("sentinel", sentinels.master(), Servers.of(sentinels));
    }

    private static void assertThatServerIs(String topology, RedisServer server, LettuceConnectionFactory servers) {
        String info = String.valueOf(server.cli().command("INFO", "server"));
        String product = info.contains("server_name:valkey") ? "Valkey" : "Redis";
        String version = info.replaceAll("(?s).*" + product.toLowerCase(Locale.ROOT) + "_version:(\\S+).*", "$1");
        try (ConnectedStore store = store(servers, 0)) {
            soon().untilAsserted(() ->
                    assertThat(store.store().server()).isEqualTo(new Server(product, version, topology, 0, "TIME")));
            assertThat(store.store().description())
                    .contains("server: " + product + " " + version + ", " + topology + ", database 0");
        }
    }

    /** Each renewal is a command of its own, so that a silent node delays only those of its locks. */
    @Test
    void shouldRenewAtTheOtherNodesWhileOneIsSilent(RedisCluster cluster) {
        try (ConnectedStore store = store(Servers.of(cluster), 0)) {
            RedisServer silent = cluster.masters().get(0);
            List<String> names =
                    IntStream.range(0, 60).mapToObj(i -> "slot-" + i).toList();
            names.forEach(name -> store.granted(name, "me"));
            silent.pause();
            try {
                List<CompletableFuture<Reply>> sent = names.stream()
                        .map(name -> store.store()
                                .send(new Command.RenewAll(List.of(renew(name, "me"))))
                                .toCompletableFuture())
                        .toList();

                for (int i = 0; i < names.size(); i++) {
                    if (cluster.masterOf("lock:{" + names.get(i) + "}") != silent) {
                        assertThat(get(sent.get(i))).isEqualTo(new Reply.RenewedAll(List.of(Reply.Renewed.INSTANCE)));
                    } else {
                        assertThat(sent.get(i))
                                .failsWithin(TIMEOUT.multipliedBy(10))
                                .withThrowableThat()
                                .withCauseInstanceOf(LockStoreException.class);
                    }
                }
            } finally {
                silent.resume();
            }
        }
    }

    /** Its replicas may have left a master that is cut off. Lettuce asks for the topology as seldom as it is told. */
    @Test
    void shouldAskForTheTopologyWhenAMasterHasTooFewReplicas(RedisCluster cluster) {
        try (ConnectedStore store = store(refreshingSeldom(cluster), 2)) {
            long before = questions(cluster);

            assertThat(store.failure(Way.SEND, acquire("short", "me")))
                    .as("failure at a master with one replica")
                    .hasMessageContaining("confirm-replicas");

            soon().untilAsserted(() -> assertThat(questions(cluster))
                    .as("questions for the topology before and after the shortage")
                    .isGreaterThan(before));
        }
    }

    private static LettuceConnectionFactory refreshingSeldom(RedisCluster cluster) {
        LettuceConnectionFactory known = Servers.of(cluster);
        return new LettuceConnectionFactory(
                Objects.requireNonNull(known.getClusterConfiguration()),
                LettuceClientConfiguration.builder()
                        .clientResources(known.getClientConfiguration()
                                .getClientResources()
                                .orElseThrow())
                        .shutdownTimeout(Duration.ZERO)
                        .clientOptions(ClusterClientOptions.builder()
                                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                                        .enablePeriodicRefresh(Duration.ofHours(1))
                                        .build())
                                .build())
                        .build());
    }

    /** Returns how often the nodes were asked for the cluster. */
    private static long questions(RedisCluster cluster) {
        long sum = 0;
        for (RedisServer node : cluster.nodes()) {
            try (RedisCli cli = node.cli()) {
                sum += cli.infoCommandStats().entrySet().stream()
                        .filter(calls -> calls.getKey().startsWith("cluster"))
                        .mapToLong(Map.Entry::getValue)
                        .sum();
            }
        }
        return sum;
    }

    /** The version of the format is one key, on one node, which is read with each connection and at each new master. */
    @Test
    @Tag("full")
    void shouldReadTheFormatAtTheNewMaster(RedisSentinels sentinels) {
        try (ConnectedStore store = store(Servers.of(sentinels), 0)) {
            store.granted("held", "me");
            storeAnotherFormat(sentinels.master());
            store.granted("before", "me");
            sentinels.awaitInSync();

            sentinels.failOver();

            afterFailover().until(() -> isRefusedBecauseOfTheFormat(store));
            assertThat(store.execute(Way.SEND, renew("held", "me"))).isEqualTo(Reply.Renewed.INSTANCE);
        }
    }

    @Test
    @Tag("full")
    void shouldReadTheFormatInACluster(RedisCluster cluster) {
        try (ConnectedStore first = store(Servers.of(cluster), 0)) {
            first.granted("before", "me");
            storeAnotherFormat(cluster.masterOf("lock:format"));
            try (ConnectedStore second = store(Servers.of(cluster), 0)) {
                assertThat(isRefusedBecauseOfTheFormat(second)).isTrue();
            }
            first.granted("before it connects again", "me");
        }
    }

    private static void storeAnotherFormat(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            assertThat(cli.hgetall("lock:format")).containsOnlyKeys("version");
            cli.command("HSET", "lock:format", "version", "1000");
        }
    }

    private static boolean isRefusedBecauseOfTheFormat(ConnectedStore store) {
        try {
            store.call(acquire("wanted", "me"));
            return false;
        } catch (LockStoreException ex) {
            return String.valueOf(ex.getMessage()).contains("format 1000 (key lock:format)");
        }
    }
}
