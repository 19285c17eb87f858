package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Services that refuse PUBLISH in scripts, or lose what scripts publish: waiters do not poll within a test. */
@RedisTest
class MessageModesTest {

    private static final String NAME = "handed";

    private static final String KEY = "lock:{handed}";

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final LogCapture log = new LogCapture("io.github.lockstarter.store", Level.INFO);

    private final RedisServer server;

    private final RedisCli redis;

    MessageModesTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    private static Setup withMessagesOnly(Setup setup) {
        return setup.lease(Duration.ofMinutes(10))
                .waitTime(Duration.ofMinutes(5))
                .commandTimeout(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMinutes(2));
    }

    static Stream<ServiceProfile> shouldHandOverByAMessageOfTheClient() {
        return Stream.of(
                ServiceProfile.tair(),
                ServiceProfile.tairWithoutCheck(),
                ServiceProfile.huawei(),
                ServiceProfile.serverless());
    }

    @ParameterizedTest
    @MethodSource
    void shouldHandOverByAMessageOfTheClient(ServiceProfile profile) throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port(), profile)) {
            Instance owner = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            Instance waiter = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            handOver(owner, waiter, 2);
            handOver(waiter, owner, 2);
            assertThat(waiter.registry().health().store()).doesNotContain("polling");
        }
    }

    /** Returns when the messages of so many instances are published by the client. */
    private void handOver(Instance owner, Instance waiter, int byClient) throws Exception {
        Lease lease = owner.acquire(NAME);
        CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
        WaitingLine.awaitLength(this.redis, KEY, 1);
        soon().until(() -> this.log.with("published by the client").size() == byClient);
        soon().until(() -> !WaitingLine.of(this.redis, KEY).get(0).endsWith(":"));

        assertThat(lease.release()).isTrue();

        assertThat(get(waiting).release()).isTrue();
    }

    @Test
    void shouldHandOverByTheModeOfTheConfiguration() throws Exception {
        Instance owner =
                this.instances.at(this.server, setup -> withMessagesOnly(setup).messages(MessageMode.CLIENT));
        Instance waiter = this.instances.at(this.server, MessageModesTest::withMessagesOnly);
        handOver(owner, waiter, 1);
        assertThat(this.log.with("distributed-lock.redis.messages=client")).hasSize(1);
    }

    @Test
    void shouldOnlyPollByConfiguration() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port())) {
            Instance owner = this.instances.at(this.server, MessageModesTest::withMessagesOnly);
            Instance waiter = this.instances.at(
                    proxy, setup -> setup.calm().messages(MessageMode.POLLING).pollInterval(Duration.ofMillis(200)));
            Lease lease = owner.acquire(NAME);
            CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
            WaitingLine.awaitLength(this.redis, KEY, 1);

            assertThat(lease.release()).isTrue();

            assertThat(get(waiting).release()).isTrue();
            assertThat(proxy.commandsSeen(Commands.named("subscribe", "publish")))
                    .isZero();
            assertThat(this.log.with("distributed-lock.redis.messages=polling")).hasSize(1);
        }
    }

    /** On such a server, no release may end the place of an instance that is slow. */
    @Test
    void shouldNotCountOnAServerThatCountsNothing() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.noCounts())) {
            Instance owner = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            Instance waiter = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            Lease lease = owner.acquire(NAME);
            CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
            WaitingLine.awaitLength(this.redis, KEY, 1);
            soon().until(() -> proxy.commandsSeen(Commands.named("publish")) > 0);
            String field = "w:" + WaitingLine.of(this.redis, KEY).get(0).split(":", 2)[0];
            String entry = String.valueOf(this.redis.command("HGET", KEY, field));
            // Its last poll was two intervals ago.
            String late = entry.replaceFirst(":\\d+", ":" + (Long.parseLong(entry.split(":", 3)[1]) - 240_000));
            this.redis.command("HSET", KEY, field, late);

            assertThat(lease.release()).isTrue();

            assertThat(get(waiting).release()).isTrue();
        }
    }
}
