package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The version of the format is one key, on one node, which is read again at each new master. */
@TopologyTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
@Tag("full")
class WireFormatTopologyTest {

    private static final String KEY = "lock:format";

    private static final String OTHER = "1000";

    @AutoClose
    private final Instances instances = new Instances();

    private static String versionAt(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            return String.valueOf(cli.command("HGET", KEY, "version"));
        }
    }

    private static void store(RedisServer server, String version) {
        try (RedisCli cli = server.cli()) {
            cli.command("HSET", KEY, "version", version);
        }
    }

    private static boolean isRefused(Instance instance) {
        Throwable failure = catchThrowable(() -> instance.lock("wanted").tryLock());
        if (failure == null) {
            instance.lock("wanted").unlock();
        }
        return failure != null && String.valueOf(failure.getMessage()).contains("format " + OTHER + " (key " + KEY);
    }

    private static void assertThatItEndsInOrder(Instance owner, Lease lease) {
        long renewed = owner.events().count(LockRenewedEvent.class, lease.name());
        afterFailover().until(() -> owner.events().count(LockRenewedEvent.class, lease.name()) > renewed + 1);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldBeReadAtTheNewMasterBehindSentinels(RedisSentinels sentinels) throws Exception {
        Instance owner = this.instances.at(Servers.of(sentinels), Setup::outlivingFailovers);
        Lease lease = owner.acquire("held");
        assertThat(versionAt(sentinels.master())).isNotEqualTo("null");
        store(sentinels.master(), OTHER);
        assertThat(isRefused(owner)).isFalse();
        sentinels.awaitInSync();

        sentinels.failOver();

        afterFailover().until(() -> isRefused(owner));
        assertThatItEndsInOrder(owner, lease);
    }

    @Test
    void shouldBeWrittenAndReadInACluster(RedisCluster cluster) throws Exception {
        Instance first = this.instances.at(Servers.of(cluster), Setup::outlivingFailovers);
        assertThat(isRefused(first)).isFalse();
        assertThat(versionAt(cluster.masterOf(KEY))).isNotEqualTo("null");

        store(cluster.masterOf(KEY), OTHER);

        assertThat(isRefused(this.instances.at(Servers.of(cluster), Setup::outlivingFailovers)))
                .isTrue();
        assertThat(isRefused(first)).as("before it connects again").isFalse();
    }
}
