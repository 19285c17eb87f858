package io.github.lockstarter.replicas;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master that answers but whose replicas do not receive what it writes. */
@Tag("redis")
class ReplicaShortageTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    @AutoClose
    private static MasterWithReplicas servers;

    @AutoClose
    private final Instances instances = new Instances();

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(2);
    }

    @BeforeEach
    void heal() {
        servers.heal();
    }

    private Instance instance(Duration lease) {
        return this.instances.at(
                servers.master(),
                setup -> setup.lease(lease, Duration.ofMillis(200))
                        .commandTimeout(COMMAND_TIMEOUT)
                        .confirmReplicas(2));
    }

    @Test
    void shouldGrantAndRenewNothingAtAMasterWithoutReplicas() throws Exception {
        Instance instance = instance(Duration.ofSeconds(2));
        Lease lease = instance.acquire("held");
        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);

        servers.stall();

        assertThatNothingIsGranted(instance);
        assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
        assertThat(instance.events().count(LockAtRiskEvent.class, "held")).isPositive();
        assertThat(lease.release()).isFalse();
    }

    @Test
    void shouldRecoverWhenAReplicaGoesOnThatWasStopped() throws Exception {
        try (LogCapture log = new LogCapture("io.github.lockstarter.store", Level.INFO)) {
            Instance instance = instance(Duration.ofSeconds(30));
            Lease lease = instance.acquire("held");

            servers.replica(1).pause();

            assertThatNothingIsGranted(instance);
            soon().until(() -> instance.events().count(LockAtRiskEvent.class, "held") > 0);
            assertThat(lease.state()).isEqualTo(Lease.State.AT_RISK);
            assertThat(instance.registry().active()).as("leases that are live").isEqualTo(1);
            assertThat(log.with("has enough replicas again"))
                    .as("lines before the end of the shortage")
                    .isEmpty();

            servers.replica(1).resume();

            soon().until(() -> instance.events().count(LockRecoveredEvent.class, "held") > 0);
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            soon().until(() -> !log.with("has enough replicas again").isEmpty());
            assertThat(log.with("has enough replicas again"))
                    .as("lines about the end of the shortage")
                    .hasSize(1);
            instance.acquire("refused").close();
            assertThat(lease.release()).isTrue();
        }
    }

    /** The confirmation has connections of its own, which lead to the same database. */
    @Test
    void shouldConfirmInTheDatabaseOfTheLock() throws Exception {
        Instance instance = this.instances.at(
                servers.master(),
                setup -> setup.lease(Duration.ofSeconds(30), Duration.ofMillis(200))
                        .database(3)
                        .confirmReplicas(2));

        Lease lease = instance.acquire("elsewhere");

        assertThat(fields("elsewhere")).as("lock in database 0").isEmpty();
        instance.awaitRenewals(1);
        assertThat(lease.state())
                .as("state of a lease that replicas confirm in database 3")
                .isEqualTo(Lease.State.HELD);
        assertThat(lease.release()).as("release in database 3").isTrue();
    }

    /** A message proves no grant then: the waiter asks, and the reply is that to a lock that was handed over. */
    @Test
    void shouldReportAHandOverThatReplicasConfirm() throws Exception {
        UnaryOperator<Setup> patient = setup -> setup.lease(Duration.ofMinutes(10))
                .commandTimeout(Duration.ofSeconds(5))
                .pollInterval(Duration.ofMinutes(2))
                .confirmReplicas(2);
        Instance owner = this.instances.at(servers.master(), patient);
        Instance waiter = this.instances.at(servers.master(), patient);
        Lease lease = owner.acquire("passed");
        CompletableFuture<Lease> waiting = waiter.waitFor("passed");
        // Its first place in the line has no inbox, so that no message is sent to it.
        try (RedisCli cli = servers.master().cli()) {
            WaitingLine.awaitSubscribed(cli, "lock:{passed}", 1);
        }

        assertThat(lease.release()).as("release by the owner").isTrue();

        get(waiting).close();
        soon().untilAsserted(() -> assertThat(waiter.events().handOvers(Kind.REMOTE))
                .as("events of the waiter about a lock that another instance has handed over")
                .isEqualTo(1));
    }

    /** Both commands of a confirmation must be answered on one physical connection. */
    @Test
    void shouldNotBelieveAGrantWhoseConnectionBrokeBeforeTheReplicasAnswered() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(servers.master().port())) {
            Instance instance = this.instances.at(
                    proxy,
                    setup -> setup.lease(Duration.ofSeconds(30))
                            .commandTimeout(COMMAND_TIMEOUT)
                            .confirmReplicas(2));
            instance.acquire("before").close();
            Hold hold = proxy.hold(Commands.named("wait"));
            CompletableFuture<Lease> broken =
                    instance.registry().acquireAsync(LockRequest.of("broken").withWaitTime(Duration.ZERO));
            hold.awaitReached(Duration.ofSeconds(10));
            proxy.cutRst();
            hold.release();

            assertThat(broken)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            ex -> assertThat(ex.isOutcomeUnknown() && ex.isTransient())
                                    .isTrue());
            soon().until(() -> !fields("broken").containsKey("o"));
            get(instance.waitFor("broken")).close();
        }
    }

    private static Map<String, String> fields(String name) {
        try (RedisCli cli = servers.master().cli()) {
            return cli.hgetall("lock:{" + name + "}");
        }
    }

    private static void assertThatNothingIsGranted(Instance instance) {
        Duration wait = Duration.ofMillis(700);
        // On a busy machine, a reply that is later than the command timeout hides the reason.
        soon().untilAsserted(() -> {
            long since = System.nanoTime();

            LockStoreException failure = catchThrowableOfType(
                    LockStoreException.class, () -> instance.lock("refused").tryLock(wait));

            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .as("wait and one command timeout")
                    .isLessThan(wait.plus(COMMAND_TIMEOUT).plusSeconds(8));
            assertThat(failure).hasMessageContaining("distributed-lock.redis.confirm-replicas");
        });
    }
}
