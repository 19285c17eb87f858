package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * The application is configured for a server that answers, but cannot store its locks; or for another one than its
 * owner means.
 */
class WrongServerTest extends FaultFixture {

    @AutoClose
    private final LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO);

    private void assertThatItIsNotReady() {
        assertThat(this.log.with("Distributed locks are ready")).isEmpty();
        assertThat(this.log.with("Distributed locks start at a server that rejects them: "))
                .as("the line of the start")
                .hasSize(1);
    }

    private void assertThatAReplicaIsReported(UnaryOperator<Setup> setup) {
        try (MasterWithReplicas servers = new MasterWithReplicas(1)) {
            RedisServer replica = servers.replica(0);
            this.instances.at(replica, setup);

            assertThatItIsNotReady();
            assertThat(this.log.with("is a replica"))
                    .singleElement()
                    .asString()
                    .contains("Redis at 127.0.0.1:" + replica.port() + " (database 0)", "spring.data.redis.*");
            this.instances.close();
        }
    }

    @Test
    void shouldReportAReplica() {
        assertThatAReplicaIsReported(Setup::calm);
    }

    @Test
    void shouldReportAReplicaOverTheApplicationsConnection() {
        assertThatAReplicaIsReported(setup -> setup.calm().sharedConnection());
    }

    @Test
    void shouldReportASentinelThatIsGivenAsTheServer() {
        try (RedisServer sentinel =
                RedisServer.startSentinel("sentinel monitor cache 127.0.0.1 " + this.server.port() + " 1\n")) {
            this.instances.at(sentinel, Setup::calm);

            assertThatItIsNotReady();
            assertThat(this.log.with("is a Sentinel"))
                    .singleElement()
                    .asString()
                    .contains("spring.data.redis.sentinel.master and nodes");
            this.instances.close();
        }
    }

    @Test
    void shouldNotBeReadyIfTheUserMayNotLock() {
        RestrictedUser user = new RestrictedUser(this.redis);
        try {
            user.grant(user.without("+hset")).start(this.instances, this.proxy);

            assertThatItIsNotReady();
        } finally {
            user.delete();
        }
    }

    /** While it looks for the master, it opens one connection after the other. */
    @Test
    void shouldKnowThatAReplicaHasExecutedNothing() {
        try (MasterWithReplicas servers = new MasterWithReplicas(1)) {
            Instance instance = this.instances.at(servers.replica(0));

            LockStoreException failure = catchThrowableOfType(
                    LockStoreException.class, () -> instance.lock("read-only").tryLock(Duration.ofSeconds(3)));

            assertThat(failure).hasMessageContaining("READONLY").hasMessageContaining("'read-only'");
            assertThat(failure.getMessage()).doesNotContain("may have been executed");
            assertThat(failure.isOutcomeUnknown())
                    .as("each command was rejected")
                    .isFalse();
            this.instances.close();
        }
    }

    @Test
    void shouldNameTheDatabaseAtTheStart() {
        this.instances.at(this.server, setup -> setup.calm().database(3));

        soon().until(() -> !this.log
                .with("Distributed locks are ready: Redis at 127.0.0.1:" + this.server.port() + " (database 3)")
                .isEmpty());
        assertThat(this.log.with("Distributed locks are ready"))
                .singleElement()
                .asString()
                .containsPattern("\\(server: (Redis|Valkey) \\d+\\.\\d\\S*, standalone, database 3, time by TIME\\)");
    }

    @Test
    void shouldNameTheDatabaseOfAFailure() {
        this.redis.command("SET", "lock:{foreign}", "text");
        Instance instance = this.instances.at(this.server, Setup::calm);

        assertThat(catchThrowableOfType(LockStoreException.class, instance.lock("foreign")::tryLock))
                .hasMessageContaining("Redis at 127.0.0.1:" + this.server.port() + " (database 0) rejected");
        this.redis.command("DEL", "lock:{foreign}");
    }
}
