package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** One inbox per instance tells it that a lock was handed to it; nothing depends on its messages. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class InboxTest {

    /** Whoever is granted a lock sooner than that was not polling. */
    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance owner;

    InboxTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
        this.owner = this.instances.at(server, setup -> setup.lease(LONG));
    }

    private Instance waiting(Duration pollInterval) {
        return this.instances.at(this.proxy, setup -> setup.lease(LONG).pollInterval(pollInterval));
    }

    private Call<Boolean> waitFor(Instance instance, String name) {
        return Call.start(() -> {
            instance.registry().acquire(LockRequest.of(name).withWaitTime(LONG)).close();
            return true;
        });
    }

    @Test
    void shouldSubscribeWhenSomebodyWaitsAndOnce() throws Exception {
        Instance instance = waiting(LONG);
        instance.lock("free").lock();
        instance.lock("free").unlock();
        this.owner.lock("first").lock();
        assertThat(instance.lock("first").tryLock()).isFalse();
        assertThat(this.proxy.commandsSeen(Commands.named("subscribe")))
                .as("nobody waits yet")
                .isZero();

        List<Call<Boolean>> waiters = new ArrayList<>();
        waiters.add(waitFor(instance, "first"));
        soon().until(() -> Channel.subscribers(this.redis) == 1);
        for (int i = 0; i < 3; i++) {
            this.owner.lock("more:" + i).lock();
            waiters.add(waitFor(instance, "more:" + i));
        }
        waiters.forEach(Call::awaitParked);
        for (String name : List.of("first", "more:0", "more:1", "more:2")) {
            this.owner.lock(name).unlock();
        }
        for (Call<Boolean> waiter : waiters) {
            assertThat(waiter.result()).isTrue();
        }
        assertThat(this.proxy.commandsSeen(Commands.named("subscribe"))).isEqualTo(1);
        assertThat(Channel.connections(this.redis)).isEqualTo(1);

        instance.stop();
        soon().until(() -> Channel.subscribers(this.redis) == 0);
        soon().until(() -> Channel.connections(this.redis) == 0);
        soon().untilAsserted(() -> assertThat(this.proxy.connections()).isZero());
    }

    @Test
    void shouldEndTheSubscriptionOverTheConnectionsOfTheApplication() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = this.instances.at(
                this.proxy, setup -> setup.lease(LONG).pollInterval(LONG).sharedConnection());
        Call<Boolean> waiter = waitFor(instance, "awaited");
        soon().until(() -> Channel.subscribers(this.redis) == 1);

        instance.stop();

        assertThat(waiter.failure()).isInstanceOf(LockException.class);
        soon().until(() -> Channel.subscribers(this.redis) == 0);
        assertThat(instance.connections().isRunning()).isTrue();
    }

    @Test
    void shouldSubscribeAgainWhenTheConnectionWasCut() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = waiting(LONG);
        Call<Boolean> waiter = waitFor(instance, "awaited");
        soon().until(() -> Channel.subscribers(this.redis) == 1);
        this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");

        soon().until(() -> this.proxy.commandsSeen(Commands.named("subscribe")) > 1);
        soon().until(() -> Channel.subscribers(this.redis) == 1);
        this.owner.lock("awaited").unlock();

        assertThat(waiter.result()).isTrue();
    }

    /** The message of a release that nobody heard is not sent again: everybody looks once after a subscription. */
    @Test
    void shouldLookOnceAfterASubscriptionThatWasCut() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = waiting(LONG);
        Call<Boolean> waiter = waitFor(instance, "awaited");
        soon().until(() -> Channel.subscribers(this.redis) == 1);
        this.proxy.refuse();
        this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        // It has noticed the break, and polls: an entry without an inbox.
        soon().until(() ->
                WaitingLine.of(this.redis, "lock:{awaited}").stream().anyMatch(entry -> entry.endsWith(":")));
        this.owner.lock("awaited").unlock();
        assertThat(waiter.isDone()).as("heard nothing").isFalse();

        this.proxy.accept();

        assertThat(waiter.result()).isTrue();
    }

    @Test
    void shouldNotFillTheLogInAnOutage() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = waiting(Duration.ofMillis(300));
        try (LogCapture ours = new LogCapture();
                LogCapture springs = new LogCapture("org.springframework")) {
            this.proxy.refuse();
            this.proxy.cutRst();
            Call<Boolean> waiter = waitFor(instance, "awaited");
            long since = System.nanoTime();
            soon().until(() -> System.nanoTime() - since > 2_500_000_000L);
            this.proxy.accept();
            soon().until(() -> Channel.subscribers(this.redis) == 1);
            this.owner.lock("awaited").unlock();
            assertThat(waiter.result()).isTrue();

            assertThat(ours.with("")).as("the connection is gone").hasSizeLessThanOrEqualTo(1);
            assertThat(springs.with("")).isEmpty();
        }
    }

    /** Another application uses the prefix, or PUBLISH is tried out by hand. */
    @Test
    void shouldIgnoreMessagesThatNameNoLock() throws Exception {
        Instance waiting = waiting(LONG);
        LeaseLock lock = this.owner.lock("a");
        assertThat(lock.tryLock()).isTrue();
        Call<Boolean> waiter = waitFor(waiting, "a");
        soon().until(() -> Channel.subscribers(this.redis) == 1);
        String channel = String.valueOf(Channel.all(this.redis).get(0));
        try (LogCapture log = new LogCapture();
                LogCapture client = new LogCapture("io.lettuce")) {
            for (String garbage : List.of("", "}", "hello", "lock:{%zz}", "lock:{%u1", "\u0000{}\n", "other:{a}x:7")) {
                this.redis.command("PUBLISH", channel, garbage);
            }
            lock.unlock();

            assertThat(waiter.result()).as("the subscription goes on").isTrue();
            assertThat(log.all()).isEmpty();
            assertThat(client.all()).isEmpty();
        }
    }
}
