package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A message that nobody hears costs at most a poll interval. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LostMessageTest {

    private static final String KEY = "lock:{awaited}";

    private static final String USER = "silent";

    private static final Duration POLL = Duration.ofSeconds(1);

    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisServer server;

    private final RedisCli redis;

    LostMessageTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.server = server;
        this.redis = redis;
        Script.loadAll(redis);
        redis.command("ACL", "SETUSER", USER, "reset", "on", "nopass", "~*", "&*", "+@all", "-publish");
    }

    @AfterEach
    void deleteUser() {
        this.redis.command("ACL", "DELUSER", USER);
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    private static Call<Long> waitFor(Instance instance) {
        return Call.start(() ->
                instance.registry().execute(LockRequest.of("awaited").withWaitTime(LONG), lease -> System.nanoTime()));
    }

    @Test
    void shouldLookByItselfIfTheReleasingOneMayNotPublish() throws Exception {
        Instance owner = this.instances.at(this.server, setup -> patient(setup).user(USER));
        Instance first = this.instances.at(this.server, setup -> patient(setup).user(USER));
        Instance second = this.instances.at(this.server, LostMessageTest::patient);
        owner.lock("awaited").lock();
        Call<Long> head = waitFor(first);
        WaitingLine.awaitLength(this.redis, KEY, 1);
        Call<Long> next = waitFor(second);
        WaitingLine.awaitLength(this.redis, KEY, 2);
        soon().until(() -> Channel.subscribers(this.redis) == 2);
        long releasedAt = System.nanoTime();

        owner.lock("awaited").unlock();

        assertThat(Duration.ofNanos(head.result() - releasedAt)).isLessThan(POLL.multipliedBy(2));
        assertThat(next.result()).as("in the order of arrival").isGreaterThan(head.result());
        assertThat(Duration.ofNanos(next.result() - head.result())).isLessThan(POLL.multipliedBy(2));
        soon().until(() -> !this.redis.exists(KEY));
    }

    @Test
    void shouldLookByItselfUntilItsSubscriptionIsAcknowledged() throws Exception {
        Instance owner = this.instances.at(this.server, LostMessageTest::patient);
        Instance waiting = this.instances.at(this.proxy, LostMessageTest::patient);
        Instance other = this.instances.at(this.server, LostMessageTest::patient);
        owner.lock("awaited").lock();
        try (Hold subscription = this.proxy.hold(Commands.named("subscribe"))) {
            Call<Long> waiter = waitFor(waiting);
            subscription.awaitReached(LIMIT);
            soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)) > 1);
            assertThat(WaitingLine.of(this.redis, KEY))
                    .as("it might miss its message")
                    .isEmpty();
            Call<Long> later = waitFor(other);
            WaitingLine.awaitLength(this.redis, KEY, 1);

            owner.lock("awaited").unlock();

            assertThat(later.result()).isPositive();
            assertThat(waiter.result()).isPositive();
        }
    }

    @Test
    void shouldJoinTheLineOnceItsSubscriptionIsAcknowledged() throws Exception {
        Instance owner = this.instances.at(this.server, setup -> patient(setup).pollInterval(LONG));
        Instance waiting = this.instances.at(this.proxy, setup -> patient(setup).pollInterval(LONG));
        owner.lock("awaited").lock();
        Call<Long> waiter;
        try (Hold acknowledgement = this.proxy.hold(Commands.named("subscribe"))) {
            waiter = waitFor(waiting);
            acknowledgement.awaitReached(LIMIT);
            assertThat(WaitingLine.of(this.redis, KEY)).isEmpty();
        }
        WaitingLine.awaitLength(this.redis, KEY, 1);
        owner.lock("awaited").unlock();

        assertThat(waiter.result()).isPositive();
    }

    @Test
    void shouldGoOnWhileSubscriptionsBreakAllTheTime() throws Exception {
        int rounds = 25;
        AtomicBoolean over = new AtomicBoolean();
        List<Call<Long>> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Instance instance = this.instances.at(
                    this.server, setup -> patient(setup).withoutHandOff().pollInterval(Duration.ofMillis(150)));
            for (int thread = 0; thread < 2; thread++) {
                members.add(Call.start(() -> {
                    long longest = 0;
                    for (int round = 0; round < rounds; round++) {
                        long askedAt = System.nanoTime();
                        longest = Math.max(longest, waitFor(instance).result() - askedAt);
                    }
                    return longest;
                }));
            }
        }
        Call<Integer> breaking = Call.start(() -> {
            int broken = 0;
            try (RedisCli killer = this.server.cli()) {
                for (; !over.get(); broken++) {
                    killer.command("CLIENT", "KILL", "TYPE", "pubsub");
                    LockSupport.parkNanos(5_000_000);
                }
            }
            return broken;
        });

        try {
            for (Call<Long> member : members) {
                assertThat(Duration.ofNanos(member.result()))
                        .as("six wait, and each may miss its message")
                        .isLessThan(Duration.ofSeconds(5));
            }
        } finally {
            over.set(true);
        }
        assertThat(breaking.result()).isGreaterThan(20);
        soon().until(() -> !this.redis.exists(KEY));
    }
}
