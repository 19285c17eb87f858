package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * An instance was cut off while one of its waiters stood in the line and gave up: it could not leave. When it is back, a release
 * grants the lock to the abandoned entry. The instance gives that grant back at once instead of letting it expire.
 */
@RedisTest
class AbandonedTicketTest {

    private static final String NAME = "abandoned";

    private static final String KEY = "lock:{" + NAME + "}";

    /** An entry in the line lasts for three of them after its last poll. */
    private static final Duration POLL = Duration.ofSeconds(4);

    /** How long a grant from the line lasts. */
    private static final Duration CLAIM = POLL.multipliedBy(2);

    /** Of the instance that is cut off: what it cannot remove from Redis would have expired after that time. */
    private static final Duration LEASE = Duration.ofMillis(800);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final Instance owner;

    private final Instance next;

    private final Instance cutOff;

    AbandonedTicketTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = this.instances.at(server, AbandonedTicketTest::patient);
        this.next = this.instances.at(server, AbandonedTicketTest::patient);
        this.cutOff = this.instances.at(
                proxy, setup -> setup.lease(LEASE).pollInterval(POLL).commandTimeout(Duration.ofMillis(150)));
    }

    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(60)).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    @Test
    void shouldBeGivenBackAtOnce() throws Exception {
        Lease lease = this.owner.acquire(NAME);
        CompletableFuture<Lease> givingUp = this.cutOff
                .registry()
                .acquireAsync(LockRequest.of(NAME).withWaitTime(Duration.ofSeconds(1)))
                .toCompletableFuture();
        WaitingLine.awaitLength(this.redis, KEY, 1);
        String inbox = Channel.INBOXES + WaitingLine.of(this.redis, KEY).get(0).split(":", -1)[1];
        soon().until(() -> isSubscribed(inbox));
        this.proxy.blackHole();
        soon().until(givingUp::isDone);
        CompletableFuture<Lease> waiting = this.next.waitFor(NAME);
        WaitingLine.awaitLength(this.redis, KEY, 2);
        awaitEndOfAttempts();
        this.proxy.heal();
        soon().until(() -> answers(this.cutOff) && isSubscribed(inbox));
        Remarks.say(WaitingLine.of(this.redis, KEY).size() + " in the line, with the abandoned entry: 2");

        lease.release();

        long releasedAt = System.nanoTime();
        soon().until(waiting::isDone);
        assertThat(Duration.ofNanos(System.nanoTime() - releasedAt)).isLessThan(CLAIM.dividedBy(4));
        assertThat(waiting.join().release()).isTrue();
        assertThat(givingUp).isCompletedExceptionally();
    }

    /** Nothing is sent any more for the wait that is over. */
    private void awaitEndOfAttempts() {
        Duration time = LEASE.multipliedBy(2);
        within(time.multipliedBy(2)).during(time).until(() -> true);
    }

    private boolean isSubscribed(String channel) {
        return this.redis.command("PUBSUB", "NUMSUB", channel).equals(List.of(channel, 1L));
    }

    private static boolean answers(Instance instance) {
        try {
            return !instance.lock("another").isLocked();
        } catch (LockException ex) {
            return false;
        }
    }
}
