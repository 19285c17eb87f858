package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an application logs that starts while Redis is down. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class StartWithoutRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

    @AutoClose
    private final Instances instances = new Instances();

    /** Spring Boot has one for all clients of the application, and its own are not connected either. */
    private final ClientResources resources = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    private final FaultProxy proxy;

    StartWithoutRedisTest(FaultProxy proxy) {
        this.proxy = proxy;
    }

    @AfterEach
    void stop() throws Exception {
        this.instances.close();
        this.resources.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLogOneWarningForAllAttempts(Outage outage) {
        outage.begin(this.proxy);
        try (LogCapture errors = new LogCapture("io.netty.util.concurrent", Level.ERROR);
                LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG)) {
            Instance instance = start();
            // Destroying the client of an attempt would end threads that Netty still needs one command timeout later.
            soon().until(() -> log.with(" to connect to Redis").size() >= 8);

            assertThat(errors.with("")).isEmpty();
            assertThat(log.with("Cannot connect to Redis at")).hasSize(1);
            assertThat(log.with("Distributed locks are ready")).isEmpty();
            assertThat(log.with("Distributed locks start without a connection: Redis at"))
                    .hasSize(1);

            this.proxy.heal();
            soon().until(() -> !log.with("Connected to Redis at").isEmpty());
            LeaseLock lock = instance.lock("late");
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    /** Its own client has no word for locks. */
    @ParameterizedTest
    @EnumSource
    void shouldNotBeReadyOverTheApplicationsConnectionBeforeRedisHasAnswered(Outage outage) {
        outage.begin(this.proxy);
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO)) {
            start(Setup::sharedConnection);

            assertThat(log.with("Distributed locks are ready")).isEmpty();
            assertThat(log.with("Distributed locks start without a connection: Redis over"))
                    .hasSize(1);
        }
    }

    @Test
    void shouldLogWhenRedisAnswersOverTheApplicationsConnection() {
        this.proxy.refuse();
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.INFO)) {
            start(Setup::sharedConnection);
            soon().until(() -> !log.with("Cannot connect to Redis").isEmpty());

            this.proxy.heal();

            soon().until(() -> !log.with("Connected to Redis").isEmpty());
            assertThat(log.with("Cannot connect to Redis")).hasSize(1);
            soon().until(() -> threads() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAllItsThreadsIfItNeverConnects(Outage outage) {
        outage.begin(this.proxy);
        Instance instance = start();
        soon().until(() -> threads() > 0);

        instance.close();

        soon().until(() -> threads() == 0);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lock-connection-")
                        || thread.getName().startsWith("lock-io-"))
                .count();
    }

    private Instance start() {
        return start(setup -> setup);
    }

    private Instance start(UnaryOperator<Setup> more) {
        return this.instances.at(
                this.proxy,
                setup -> more.apply(setup)
                        .lease(Duration.ofSeconds(3))
                        .commandTimeout(COMMAND_TIMEOUT)
                        .clientResources(this.resources)
                        .unreachable());
    }
}
