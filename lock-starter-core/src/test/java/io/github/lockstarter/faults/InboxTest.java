package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One inbox for each instance receives messages about grants; nothing depends on them: a lost one costs at most a poll
 * interval.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class InboxTest extends FaultFixture {

    private static final String KEY = "lock:{awaited}";

    private static final Duration POLL = Duration.ofSeconds(1);

    private Instance owner;

    @BeforeEach
    void start() {
        this.owner = this.instances.at(this.server, setup -> patient(setup).pollInterval(LONG));
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    private Instance waiting(Duration pollInterval) {
        return this.instances.at(this.proxy, setup -> setup.lease(LONG).pollInterval(pollInterval));
    }

    private static CompletableFuture<Long> waitFor(Instance instance) {
        return inThread(() ->
                instance.registry().execute(LockRequest.of("awaited").withWaitTime(LONG), lease -> System.nanoTime()));
    }

    /** A message without a receiver is not sent again: each waiter asks once after a subscription. */
    @Test
    void shouldLookOnceAfterASubscriptionThatWasCut() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = waiting(LONG);
        CompletableFuture<Long> waiter = waitFor(instance);
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        this.proxy.refuse();
        this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        // It has noticed the break, and polls: an entry without an inbox.
        soon().until(() ->
                WaitingLine.of(this.redis, "lock:{awaited}").stream().anyMatch(entry -> entry.endsWith(":")));
        this.owner.lock("awaited").unlock();
        assertThat(waiter.isDone()).as("received nothing").isFalse();

        this.proxy.accept();

        assertThat(get(waiter)).isPositive();
    }

    /** A waiter that may poll once a minute must not depend on its next poll for that. */
    @Test
    void shouldRepeatASubscriptionThatFailed() throws Exception {
        this.owner.lock("awaited").lock();
        this.proxy.swallowRequestOf(Commands.named("subscribe"), () -> {});
        CompletableFuture<Long> waiter = waitFor(waiting(LONG));
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);

        this.owner.lock("awaited").unlock();

        assertThat(get(waiter)).isPositive();
    }

    @Test
    void shouldNotFillTheLogInAnOutage() throws Exception {
        this.owner.lock("awaited").lock();
        Instance instance = waiting(Duration.ofMillis(300));
        try (LogCapture ours = new LogCapture();
                LogCapture springs = new LogCapture("org.springframework")) {
            this.proxy.refuse();
            this.proxy.cutRst();
            CompletableFuture<Long> waiter = waitFor(instance);
            soon().during(Duration.ofMillis(1500)).until(() -> !waiter.isDone());
            this.proxy.accept();
            WaitingLine.awaitSubscribed(this.redis, KEY, 1);
            this.owner.lock("awaited").unlock();
            assertThat(get(waiter)).isPositive();

            assertThat(ours.with("")).as("the connection is gone").hasSizeLessThanOrEqualTo(1);
            assertThat(springs.with("")).isEmpty();
        }
    }

    /** Another application uses the prefix, or PUBLISH is tried out by hand. */
    @Test
    void shouldIgnoreMessagesThatNameNoLock() throws Exception {
        Instance waiting = waiting(LONG);
        LeaseLock lock = this.owner.lock("awaited");
        assertThat(lock.tryLock()).isTrue();
        CompletableFuture<Long> waiter = waitFor(waiting);
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        String channel = Channel.of(WaitingLine.of(this.redis, KEY).get(0));
        try (LogCapture log = new LogCapture();
                LogCapture client = new LogCapture("io.lettuce")) {
            for (String garbage : List.of("", "}", "hello", "lock:{%zz}", "lock:{%u1", "\u0000{}\n", "other:{a}x:7")) {
                this.redis.command("PUBLISH", channel, garbage);
            }
            lock.unlock();

            assertThat(get(waiter)).as("the subscription goes on").isPositive();
            soon().until(() -> !log.all().isEmpty());
            assertThat(log.all()).singleElement().asString().contains("rejected");
            assertThat(client.all()).isEmpty();
        }
    }

    /** To Redis the subscription is alive, and it brings nothing. */
    @Test
    void shouldCostAPollInterval() throws Exception {
        Instance deaf = this.instances.at(this.proxy, InboxTest::patient);
        this.owner.lock("awaited").lock();
        CompletableFuture<Long> waiter = waitFor(deaf);
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        assertThat(Channel.subscribers(this.redis)).isPositive();
        this.proxy.swallowMessages();
        long releasedAt = System.nanoTime();

        this.owner.lock("awaited").unlock();

        assertThat(Duration.ofNanos(get(waiter) - releasedAt))
                .as("wait of a poll interval, and not of its whole time")
                .isLessThan(POLL.multipliedBy(15));
        soon().until(() -> !this.redis.exists(KEY));
    }
}
