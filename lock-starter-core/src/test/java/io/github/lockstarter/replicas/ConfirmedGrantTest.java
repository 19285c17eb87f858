package io.github.lockstarter.replicas;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Grants and renewals that replicas confirm, at a master with two of them. */
@Tag("redis")
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class ConfirmedGrantTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    private static MasterWithReplicas servers;

    @AutoClose
    private final Instances instances = new Instances();

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(2);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private Instance confirming(int replicas) {
        return this.instances.at(
                servers.master(),
                setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(200))
                        .commandTimeout(COMMAND_TIMEOUT)
                        .confirmReplicas(replicas));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldGrantRenewAndRelease(int replicas) throws Exception {
        Instance instance = confirming(replicas);

        Lease lease = instance.acquire("confirmed");

        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 1);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(keys()).containsExactly("lock:{confirmed}");
        assertThat(lease.release()).isTrue();
        assertThat(keys()).isEmpty();
        assertThat(instance.waitFor("later").get(10, TimeUnit.SECONDS).release())
                .isTrue();
    }

    @Test
    void shouldGrantNothingWithTooFewReplicas() {
        Instance instance = this.instances.at(servers.master(), ConfirmedGrantTest::threeReplicas);
        Duration wait = Duration.ofSeconds(2);
        long since = System.nanoTime();

        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class, () -> instance.lock("refused").tryLock(wait));

        Duration took = Duration.ofNanos(System.nanoTime() - since);
        assertThat(failure)
                .hasMessageContaining("2 of 3")
                .hasMessageContaining("distributed-lock.redis.confirm-replicas");
        assertThat(failure.isTransient()).isTrue();
        assertThat(took).isLessThan(wait.plus(COMMAND_TIMEOUT).plusMillis(500));
        soon().until(() -> keys().isEmpty());
    }

    private static Setup threeReplicas(Setup setup) {
        return setup.lease(Duration.ofSeconds(6))
                .commandTimeout(COMMAND_TIMEOUT)
                .confirmReplicas(3);
    }

    private static List<String> keys() {
        try (RedisCli cli = servers.master().cli()) {
            return ((List<?>) cli.command("KEYS", "lock:{*"))
                    .stream().map(String::valueOf).toList();
        }
    }
}
