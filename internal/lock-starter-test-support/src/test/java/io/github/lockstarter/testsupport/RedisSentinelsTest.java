package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sentinels that watch over a master and its replicas. */
@TopologyTest
@Tag("full") // the topology tests of core fail as well without these
class RedisSentinelsTest {

    private final RedisSentinels topology;

    RedisSentinelsTest(RedisSentinels topology) {
        this.topology = topology;
    }

    private static void set(RedisServer server, String value) {
        try (RedisCli cli = server.cli()) {
            assertThat(cli.command("SET", "key", value)).isEqualTo("OK");
        }
    }

    private static String get(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            return cli.get("key");
        }
    }

    @Test
    void replicasHaveWhatTheMasterHas() {
        set(topology.master(), "value");
        topology.awaitInSync();

        assertThat(topology.replicas()).hasSize(2).allSatisfy(replica -> {
            assertThat(get(replica)).isEqualTo("value");
            assertThatThrownBy(() -> set(replica, "other")).hasMessageStartingWith("READONLY");
        });
        assertThat(topology.sentinelPorts()).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void aReplicaTakesOverFromAKilledMaster() {
        RedisServer old = topology.master();
        set(old, "value");
        topology.awaitInSync();
        old.kill();

        RedisServer master = topology.awaitMasterOtherThan(old);
        assertThat(get(master)).isEqualTo("value");
        set(master, "other");

        topology.heal();
        assertThat(topology.master()).isSameAs(master);
        assertThat(get(master)).isNull();
        assertThatThrownBy(() -> set(old, "value")).hasMessageStartingWith("READONLY");
    }

    @Test
    void aFailoverIsMadeOnDemand() {
        RedisServer old = topology.master();
        assertThat(topology.failOver()).isNotSameAs(old);
        assertThat(topology.replicas()).contains(old);
    }

    @Test
    void theMasterIsKnownWhenTheSentinelsAgree() throws Exception {
        RedisServer master = topology.master();
        List<RedisServer> silent = topology.sentinels().subList(1, 3);
        silent.forEach(RedisServer::pause);
        CompletableFuture<RedisServer> asked = CompletableFuture.supplyAsync(topology::master);
        try {
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> asked.get(100, TimeUnit.MILLISECONDS));
        } finally {
            silent.forEach(RedisServer::resume);
        }

        assertThat(asked.get(30, TimeUnit.SECONDS)).isSameAs(master);
        // they do nothing for half a minute
        silent.forEach(RedisServer::restart);
        topology.heal();
    }

    @Test
    void whatIsWrittenAfterACutIsLostWithTheMaster() {
        RedisServer old = topology.master();
        set(old, "replicated");
        topology.cutReplication();
        set(old, "lost");
        old.kill();
        topology.replicas().forEach(RedisServer::resume);

        assertThat(get(topology.awaitMasterOtherThan(old))).isEqualTo("replicated");
    }

    @Test
    void anIsolatedMasterIsReplacedButGoesOn() {
        RedisServer old = topology.master();
        topology.isolate(old);

        RedisServer master = topology.awaitMasterOtherThan(old);
        set(old, "here");
        set(master, "there");
        assertThat(get(old)).isEqualTo("here");

        topology.heal();
        assertThatThrownBy(() -> set(old, "here")).hasMessageStartingWith("READONLY");
    }

    @Test
    void closingLeavesNothingBehind() {
        RedisSentinels own = RedisSentinels.start();
        List<RedisServer> all =
                Stream.concat(own.servers().stream(), own.sentinels().stream()).toList();
        List<ProcessHandle> processes = all.stream()
                .map(server -> ProcessHandle.of(server.pid()).orElseThrow())
                .toList();
        List<Path> directories =
                own.servers().stream().map(RedisClusterTest::directoryOf).toList();

        own.close();

        assertThat(processes).hasSize(6).noneMatch(ProcessHandle::isAlive);
        assertThat(directories).allSatisfy(directory -> assertThat(directory).doesNotExist());
    }
}
