package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.LogCapture;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Redis cannot be reached, or is slow, when the application starts. Apart from {@link UnreachableTest}, because these
 * tests wait.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class StartUnreachableTest extends FaultFixture {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(250);

    /** Redis replies after four of them. */
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(100);

    private Instance start(UnaryOperator<Setup> more) {
        return this.instances.at(
                this.proxy,
                setup -> more.apply(setup.commandTimeout(COMMAND_TIMEOUT).unreachable()));
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
            assertThat(since(startedAt)).isLessThan(Duration.ofSeconds(20));

            LeaseLock lock = instance.lock("early");
            long askedAt = System.nanoTime();
            LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

            assertThat(since(askedAt)).isLessThan(COMMAND_TIMEOUT.plusSeconds(8));
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
        this.proxy.delay(Duration.ZERO, SHORT_TIMEOUT.multipliedBy(4));
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO)) {
            start(setup -> setup.commandTimeout(SHORT_TIMEOUT));

            assertThat(log.with("Distributed locks are ready"))
                    .as("the line of the start")
                    .hasSize(1);
        }
    }

    @Test
    void shouldLimitCommandsOverAConnectionThatWasOpenedWithPatience() {
        this.proxy.delay(Duration.ZERO, SHORT_TIMEOUT.multipliedBy(4));
        Instance instance = start(setup -> setup.commandTimeout(SHORT_TIMEOUT));

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
        // The start waits for ten seconds in a black hole, so that it begins after the start.
        Outage.REFUSED.begin(this.proxy);
        Instance instance = start(setup -> setup);
        long accepted = this.proxy.connectionsAccepted();
        this.proxy.blackHole();
        this.proxy.accept();
        soon().until(() -> this.proxy.connectionsAccepted() > accepted && connectionThreads() > 0);

        instance.close();

        soon().untilAsserted(() -> assertThat(connectionThreads())
                .as("threads of the connection after the stop")
                .isZero());
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
}
