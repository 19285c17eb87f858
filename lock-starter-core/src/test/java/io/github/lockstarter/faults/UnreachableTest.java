package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis cannot be reached when the application starts, or later, while locks are held, or when it stops. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class UnreachableTest extends FaultFixture {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(250);

    private static final String KEY = "lock:{late}";

    /** How Redis cannot be reached. {@link FaultProxy#heal()} ends each of them. */
    enum Outage {
        BLACK_HOLE,
        REFUSED;

        void begin(FaultProxy proxy) {
            if (this == BLACK_HOLE) {
                proxy.blackHole();
            } else {
                proxy.refuse();
                proxy.cutRst();
            }
        }
    }

    private Instance start(UnaryOperator<Setup> more) {
        return this.instances.at(
                this.proxy,
                setup -> more.apply(setup.commandTimeout(COMMAND_TIMEOUT).unreachable()));
    }

    private Instance running(Duration lease) {
        return this.instances.at(this.proxy, setup -> setup.lease(lease).commandTimeout(COMMAND_TIMEOUT));
    }

    @ParameterizedTest
    @EnumSource
    void shouldStartAndSayThatThereIsNoConnection(Outage outage) throws Exception {
        // Spring Boot has one for all clients of the application, and its own are not connected either.
        ClientResources resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        outage.begin(this.proxy);
        try (LogCapture errors = new LogCapture("io.netty.util.concurrent", Level.ERROR);
                LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG)) {
            long startedAt = System.nanoTime();
            Instance instance =
                    start(setup -> setup.lease(Duration.ofSeconds(3)).clientResources(resources));
            assertThat(since(startedAt)).isLessThan(Duration.ofSeconds(12));

            LeaseLock lock = instance.lock("early");
            long askedAt = System.nanoTime();
            LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

            assertThat(since(askedAt)).isLessThan(COMMAND_TIMEOUT.plusSeconds(1));
            assertThat(failure.isOutcomeUnknown()).as("nothing was sent").isFalse();
            assertThat(failure.isTransient()).isTrue();
            assertThat(failure).hasMessageContaining("'early'").hasMessageContaining("not connected");
            // Destroying the client of an attempt would end threads that Netty still needs one command timeout later.
            soon().until(() -> log.with(" to connect to Redis").size() >= 4);
            assertThat(errors.with("")).isEmpty();
            assertThat(log.with("Cannot connect to Redis at"))
                    .as("one warning for all")
                    .hasSize(1);
            assertThat(log.with("Distributed locks are ready")).isEmpty();
            assertThat(log.with("Distributed locks start without a connection: Redis at"))
                    .hasSize(1);

            this.proxy.heal();
            soon().until(() -> !log.with("Connected to Redis at").isEmpty());
            assertThat(lock.tryLock(LIMIT)).isTrue();
            lock.unlock();
        } finally {
            this.instances.close();
            resources.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
        }
    }

    /** As on a machine that is so busy that no reply arrives within the timeout of a command. */
    @Test
    void shouldBeConnectedAfterTheStartThoughRepliesAreLate() {
        this.proxy.delay(Duration.ZERO, COMMAND_TIMEOUT.multipliedBy(4));
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO)) {
            start(setup -> setup);

            assertThat(log.with("Distributed locks are ready"))
                    .as("the line of the start")
                    .hasSize(1);
        }
    }

    @Test
    void shouldLimitCommandsOverAConnectionThatWasOpenedWithPatience() {
        this.proxy.delay(Duration.ZERO, COMMAND_TIMEOUT.multipliedBy(4));
        Instance instance = start(setup -> setup);

        // A blocking command, whose only limit is that of the client.
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, instance.lock("late")::isLocked);

        assertThat(failure).as("of a reply after four timeouts").isNotNull();
        assertThat(failure.isOutcomeUnknown()).as("it was sent").isTrue();
    }

    @Test
    void shouldGrantALockThatIsWaitedForWithoutALimitOnceThereIsAConnection() throws Exception {
        Outage.REFUSED.begin(this.proxy);
        Instance instance = start(setup -> setup);
        try (LogCapture log = new LogCapture()) {
            CompletableFuture<Boolean> call = inThread(() -> {
                instance.lock("early").lock();
                instance.lock("early").unlock();
                return true;
            });
            soon().until(() -> !log.with("'early' waits for its store").isEmpty());
            soon().during(Duration.ofMillis(600)).until(() -> !call.isDone());

            this.proxy.heal();

            assertThat(get(call)).isTrue();
            assertThat(log.with("'early' waits for its store"))
                    .as("one line for many attempts")
                    .hasSize(1);
        }
    }

    @Test
    void shouldEndAllItsThreadsIfItNeverConnects() {
        this.proxy.blackHole();
        Instance instance = start(setup -> setup);
        soon().until(() -> connectionThreads() > 0);

        instance.close();

        soon().until(() -> connectionThreads() == 0);
    }

    /** The application's own client has no word for locks. */
    @Test
    void shouldNotBeReadyOverTheApplicationsConnectionBeforeRedisHasAnswered() {
        this.proxy.refuse();
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO)) {
            start(Setup::sharedConnection);

            assertThat(log.with("Distributed locks are ready")).isEmpty();
            assertThat(log.with("Distributed locks start without a connection: Redis at"))
                    .hasSize(1);
            soon().until(() -> !log.with("Cannot connect to Redis").isEmpty());
            this.proxy.heal();
            soon().until(() -> !log.with("Connected to Redis").isEmpty());
            assertThat(log.with("Cannot connect to Redis")).hasSize(1);
            soon().until(() -> connectionThreads() == 0);
        }
    }

    private static long connectionThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lock-connection-")
                        || thread.getName().startsWith("lock-io-"))
                .count();
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseTheLockAtTheDeadline(Outage outage) throws Exception {
        Instance instance = running(LEASE);
        Instance other = this.instances.at(this.server, setup -> setup.lease(LEASE));
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        CompletableFuture<Lease> successor = inThread(() -> other.registry().acquire(LockRequest.of("late")));

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(instance.events().count(LockRenewalFailedEvent.class)).isPositive();
        assertThat(instance.events().count(LockAtRiskEvent.class)).isPositive();
        assertThat(get(successor).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(lease.isHeld()).isFalse();

        this.proxy.heal();
        assertThat(lease.release()).isFalse();
        assertThat(instance.lock("another").tryLock(LIMIT)).as("works again").isTrue();
        assertThat(this.redis.hgetall(KEY))
                .containsEntry("f", Long.toString(get(successor).fencingToken()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheLockIfTheNetworkIsBackInTime(Outage outage) throws Exception {
        Instance patient = running(LEASE.multipliedBy(2));
        Lease lease = patient.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        soon().until(() -> lease.state() == State.AT_RISK);

        this.proxy.heal();

        soon().until(() -> patient.events().count(LockRecoveredEvent.class) > 0);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(patient.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    /** To the system the old connection stays open for minutes; a client that trusts that loses all its locks. */
    @Test
    void shouldOpenAnotherConnectionBesideOneThatIsSilent() throws Exception {
        // On a busy machine, a shorter lease can end before the other connection is open.
        Instance instance = running(Duration.ofSeconds(6));
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        long accepted = this.proxy.connectionsAccepted();
        this.proxy.swallowRequestOf(Script.RENEW, () -> {});

        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);

        assertThat(this.proxy.connectionsAccepted()).isGreaterThan(accepted);
        instance.awaitRenewals(4);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.proxy.connections()).as("the old one was given up").isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndABoundedWaitInTime(Outage outage) {
        Instance instance = running(LEASE);
        outage.begin(this.proxy);
        Duration wait = Duration.ofSeconds(1);
        LeaseLock lock = instance.lock("late");
        long askedAt = System.nanoTime();

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(wait));

        assertThat(since(askedAt))
                .as("its deadline and one command timeout")
                .isBetween(wait, wait.plus(COMMAND_TIMEOUT).plusSeconds(1));
        assertThat(failure.isTransient()).isTrue();
    }

    @Test
    void shouldReleaseInTheBackgroundWhatWasHeldInAShortOutage() throws Exception {
        Instance patient = running(Duration.ofSeconds(30));
        Lease lease = patient.registry().acquire(LockRequest.of("late"));
        this.proxy.refuse();
        this.proxy.cutRst();

        assertThat(lease.release()).as("ours until now").isTrue();
        assertThat(this.redis.exists(KEY)).isTrue();
        this.proxy.heal();

        soon().until(() -> !this.redis.exists(KEY));
        assertThat(patient.events().count(LockLostEvent.class)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotTakeLongWithoutRedis(Outage outage) throws Exception {
        Instance instance = running(LEASE);
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        CompletableFuture<Boolean> waiter =
                inThread(() -> instance.lock("wanted").tryLock(Duration.ofMinutes(1)));
        soon().until(() -> instance.waiting() == 1);
        long since = System.nanoTime();

        instance.stop();

        assertThat(since(since)).isLessThan(Duration.ofSeconds(4));
        assertThat(lease.isHeld()).isFalse();
        assertThat(failureOf(waiter)).isInstanceOf(LockException.class);
    }

    @ParameterizedTest
    @CsvSource({"hello, true", "hello, false", "subscribe, true", "subscribe, false"})
    @Tag("full")
    void shouldLeaveNoSubscriptionThatWasBeingMade(String command, boolean privateConnection) throws Exception {
        Instance stopping = this.instances.at(
                this.proxy,
                setup -> privateConnection ? setup.calm() : setup.calm().sharedConnection());
        Instance owner = this.instances.at(this.server, Setup::calm);
        assertThat(owner.lock("late").tryLock()).isTrue();
        try (Hold making = this.proxy.hold(Commands.named(command))) {
            CompletableFuture<Boolean> waiter =
                    inThread(() -> stopping.lock("late").tryLock(LIMIT));
            making.awaitReached(LIMIT);

            stopping.stop();

            assertThat(failureOf(waiter)).isInstanceOf(LockException.class);
        }
        // longer than the connection takes that was underway
        within(Duration.ofSeconds(8)).during(Duration.ofSeconds(1)).until(() -> Channel.connections(this.redis) == 0);
        assertThat(Channel.subscribers(this.redis)).isZero();
    }
}
