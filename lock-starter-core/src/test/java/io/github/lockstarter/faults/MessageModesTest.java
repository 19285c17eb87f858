package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
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
import org.junit.jupiter.params.provider.ValueSource;

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
            assertThat(waiter.registry().health().messages()).startsWith("client (");
        }
    }

    /** Returns when the messages of so many instances are published by the client. */
    private void handOver(Instance owner, Instance waiter, int byClient) throws Exception {
        Lease lease = owner.acquire(NAME);
        CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
        soon().until(() -> this.log.with("published by the client").size() == byClient);
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);

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
            WaitingLine.awaitSubscribed(this.redis, KEY, 1);
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

    /** The client reconnects by itself, and nothing checks the server before the next command. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRepeatACommandWhoseTextIsRefusedBecauseItPublishes(boolean sharesConnection) throws Exception {
        try (FaultProxy tair = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.tair());
                FaultProxy way = FaultProxy.inFrontOf(this.server.port())) {
            Instance owner = this.instances.at(
                    way,
                    setup -> sharesConnection ? withMessagesOnly(setup).sharedConnection() : withMessagesOnly(setup));
            Instance waiter = this.instances.at(tair, MessageModesTest::withMessagesOnly);
            Lease lease = owner.acquire(NAME);
            Lease another = owner.acquire("another");
            CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
            WaitingLine.awaitSubscribed(this.redis, KEY, 1);
            way.leadTo(tair.port());
            long accepted = way.connectionsAccepted();
            way.cutFin();
            soon().until(() -> way.connectionsAccepted() > accepted);

            assertThat(lease.release()).isTrue();

            assertThat(get(waiting).release()).isTrue();
            assertThat(another.release()).isTrue();
            assertThat(this.log.with("published by the client")).hasSize(2);
        }
    }

    /** A load balancer has forgotten the subscription: it is opened again, which is no reason for another mode. */
    @Test
    void shouldSubscribeAgainIfNothingArrives() throws Exception {
        try (FaultProxy proxy =
                FaultProxy.inFrontOf(this.server.port(), ServiceProfile.silent(Duration.ofSeconds(2)))) {
            Instance owner = this.instances.at(this.server, MessageModesTest::withMessagesOnly);
            Instance waiter =
                    this.instances.at(proxy, setup -> withMessagesOnly(setup).commandTimeout(Duration.ofSeconds(1)));
            Lease lease = owner.acquire(NAME);
            CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
            soon().until(() -> proxy.commandsSeen(Commands.named("subscribe")) > 1);
            soon().until(() -> waiter.registry().health().messages().equals("script"));

            assertThat(this.log.with("handed over")).isEmpty();
            assertThat(lease.release()).isTrue();
            // If the subscription was forgotten once more, the waiter asks after the next one.
            assertThat(get(waiting).release()).isTrue();
        }
    }

    @Test
    void shouldShowThatThereIsNoSubscription() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port())) {
            Instance owner = this.instances.at(this.server, MessageModesTest::withMessagesOnly);
            Instance waiter =
                    this.instances.at(proxy, setup -> withMessagesOnly(setup).commandTimeout(Duration.ofSeconds(1)));
            Lease lease = owner.acquire(NAME);
            proxy.swallowMessages();
            CompletableFuture<Lease> waiting = waiter.waitFor(NAME);
            soon().untilAsserted(() -> assertThat(waiter.registry().health().messages())
                    .as("messages while there is no subscription")
                    .startsWith("polling ("));

            proxy.heal();
            soon().untilAsserted(() -> assertThat(waiter.registry().health().messages())
                    .as("messages when there is a subscription again")
                    .isEqualTo("script"));

            assertThat(lease.release()).isTrue();
            assertThat(get(waiting).release()).isTrue();
        }
    }

    /** Another client may know the channel. */
    @Test
    void shouldNotBelieveAForeignProbe() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.huawei())) {
            Instance owner = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            Instance waiter = this.instances.at(proxy, MessageModesTest::withMessagesOnly);
            handOver(owner, waiter, 2);
            for (Object channel : Channel.all(this.redis)) {
                this.redis.command("PUBLISH", channel.toString(), "alive:4711");
            }
            soon().until(() -> waiter.registry().rejectedMessages() == 1);

            assertThat(waiter.registry().health().messages()).startsWith("client (");
            assertThat(this.log.with("by scripts again")).isEmpty();
        }
    }
}
