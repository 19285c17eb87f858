package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testsupport.RedisCluster.Takeover;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that share the slots, and take over from each other. */
@TopologyTest
@Tag("full") // the topology tests of core fail as well without these
class RedisClusterTest {

    private static final String KEY = "lock:{orders}";

    private final RedisCluster cluster;

    RedisClusterTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    static Path directoryOf(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            return Path.of(
                    ((List<?>) cli.command("CONFIG", "GET", "dir")).get(1).toString());
        }
    }

    private Object get(RedisServer node) {
        try (RedisCli cli = node.cli()) {
            return cli.command("GET", KEY);
        }
    }

    @Test
    void eachSlotIsServedByOneOfThreeMasters() {
        assertThat(cluster.masters()).hasSize(3);
        assertThat(cluster.nodes()).hasSize(6);
        assertThat(cluster.command(KEY, "SET", KEY, "value")).isEqualTo("OK");
        cluster.awaitInSync(KEY);

        assertThat(cluster.masters()).contains(cluster.masterOf(KEY)).doesNotContain(cluster.replicaOf(KEY));
        assertThat(cluster.masters().stream().filter(node -> node != cluster.masterOf(KEY)))
                .allSatisfy(node -> assertThatThrownBy(() -> get(node)).hasMessageStartingWith("MOVED"));
    }

    @ParameterizedTest
    @EnumSource
    void aReplicaTakesOverOnDemand(Takeover takeover) {
        RedisServer old = cluster.masterOf(KEY);
        RedisServer replica = cluster.replicaOf(KEY);
        cluster.command(KEY, "SET", KEY, "value");
        cluster.awaitInSync(KEY);

        assertThat(cluster.failOver(KEY, takeover)).isSameAs(replica);

        assertThat(get(replica)).isEqualTo("value");
        cluster.heal();
        assertThat(cluster.replicaOf(KEY)).isSameAs(old);
        assertThat(get(replica)).isNull();
    }

    @Test
    void aReplicaTakesOverFromAKilledMasterAndTheOthersGoOn() {
        RedisServer old = cluster.masterOf(KEY);
        List<RedisServer> others =
                cluster.masters().stream().filter(node -> node != old).toList();
        old.kill();

        RedisServer master = cluster.awaitMasterOtherThan(old, KEY);

        assertThat(cluster.command(KEY, "SET", KEY, "value")).isEqualTo("OK");
        assertThat(cluster.masters()).containsAll(others).contains(master).hasSize(3);
        cluster.heal();
        assertThat(cluster.replicaOf(KEY)).isSameAs(old);
    }

    @Test
    void whatIsWrittenAfterACutIsLostWithTheMaster() {
        RedisServer old = cluster.masterOf(KEY);
        RedisServer replica = cluster.replicaOf(KEY);
        cluster.command(KEY, "SET", KEY, "replicated");
        cluster.cutReplication(KEY);
        cluster.command(KEY, "SET", KEY, "lost");
        old.kill();
        replica.resume();

        assertThat(cluster.awaitMasterOtherThan(old, KEY)).isSameAs(replica);
        assertThat(get(replica)).isEqualTo("replicated");
    }

    @Test
    void aSlotMovesWithItsKeys() {
        cluster.command(KEY, "SET", KEY, "value");
        SlotMigration migration = cluster.migrate(KEY);
        assertThat(get(migration.source())).as("not moved yet").isEqualTo("value");

        assertThat(migration.moveKeys()).isEqualTo(1);
        assertThatThrownBy(() -> get(migration.source())).hasMessageStartingWith("ASK");

        migration.finish();
        assertThatThrownBy(() -> get(migration.source())).hasMessageStartingWith("MOVED");
        assertThat(get(migration.target())).isEqualTo("value");
        assertThat(cluster.masterOf(KEY)).isSameAs(migration.target());
    }

    @Test
    void closingLeavesNothingBehind() {
        RedisCluster own = RedisCluster.start();
        List<ProcessHandle> processes = own.nodes().stream()
                .map(node -> ProcessHandle.of(node.pid()).orElseThrow())
                .toList();
        List<Path> directories =
                own.nodes().stream().map(RedisClusterTest::directoryOf).toList();
        assertThat(directories).allSatisfy(directory -> assertThat(directory).isDirectory());

        own.close();

        assertThat(processes).hasSize(6).noneMatch(ProcessHandle::isAlive);
        assertThat(directories).allSatisfy(directory -> assertThat(directory).doesNotExist());
    }
}
