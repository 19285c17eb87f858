package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instances stand in one line for a lock, in the order in which they came. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its registry
class WaitingLineTest {

    private static final String KEY = "lock:{served}";

    /** Nobody looks by itself that late, and no grant runs out: only who is called comes. */
    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final Instance owner;

    private final List<Integer> served = new CopyOnWriteArrayList<>();

    WaitingLineTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
        this.owner = instance();
    }

    private Instance instance() {
        return this.instances.at(
                this.server, setup -> setup.lease(LONG).pollInterval(LONG).commandTimeout(Duration.ofSeconds(5)));
    }

    private Call<Boolean> join(Instance instance, int number) {
        Call<Boolean> call = Call.start(() -> instance.registry()
                .execute(LockRequest.of("served").withWaitTime(LONG), lease -> this.served.add(number)));
        WaitingLine.awaitLength(this.redis, KEY, number);
        return call;
    }

    @Test
    void shouldBeServedInTheOrderOfArrival() throws Exception {
        List<Instance> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(instance());
        }
        for (int round = 1; round <= 3; round++) {
            this.served.clear();
            this.owner.lock("served").lock();
            List<Call<Boolean>> calls = new ArrayList<>();
            for (Instance instance : waiting) {
                calls.add(join(instance, calls.size() + 1));
            }

            this.owner.lock("served").unlock();
            for (Call<Boolean> call : calls) {
                call.result();
            }

            assertThat(this.served).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(this.redis.exists(KEY)).isFalse();
        }
        assertThat(waiting)
                .allSatisfy(instance -> soon().untilAsserted(
                                () -> assertThat(instance.events().all(LockHandedOverEvent.class))
                                        .hasSize(3)
                                        .allMatch(event -> event.kind() == Kind.REMOTE)));
    }

    @Test
    void shouldLetNobodyInBesideTheLine() throws Exception {
        Instance first = instance();
        Instance second = instance();
        for (int round = 0; round < 20; round++) {
            this.owner.lock("served").lock();
            Call<Boolean> waiter = join(first, 1);

            this.owner.lock("served").unlock();
            boolean jumped = second.lock("served").tryLock();

            waiter.result();
            assertThat(jumped && this.served.size() <= round)
                    .as("before the one who waited")
                    .isFalse();
            if (jumped) {
                second.lock("served").unlock();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, TIMEOUT", "1, INTERRUPT", "1, CANCEL", "2, TIMEOUT", "2, INTERRUPT", "2, CANCEL", "3, CANCEL"})
    void shouldLoseThePlaceOfWhoLeavesAndNoOther(int number, Leaving leaving) throws Exception {
        List<Instance> waiting = List.of(instance(), instance(), instance());
        this.owner.lock("served").lock();
        List<Call<Boolean>> staying = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        Leaver leaver = null;
        for (int i = 1; i <= 3; i++) {
            if (i == number) {
                leaver = leaving.join(waiting.get(i - 1), "served");
                WaitingLine.awaitLength(this.redis, KEY, i);
            } else {
                staying.add(join(waiting.get(i - 1), i));
                expected.add(i);
            }
        }

        assertThat(leaver.leave()).isInstanceOf(leaving.failure());
        WaitingLine.awaitLength(this.redis, KEY, 2);
        this.owner.lock("served").unlock();

        for (Call<Boolean> call : staying) {
            call.result();
        }
        assertThat(this.served).isEqualTo(expected);
        assertThat(waiting.get(number - 1).waiting()).isZero();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldKeepThePlaceForThoseBehindTheOneWhoLeaves() throws Exception {
        Instance first = instance();
        Instance second = instance();
        this.owner.lock("served").lock();
        Leaver leaver = Leaving.CANCEL.join(first, "served");
        WaitingLine.awaitLength(this.redis, KEY, 1);
        String place = WaitingLine.of(this.redis, KEY).get(0);
        Call<Boolean> neighbour = Call.start(() ->
                first.registry().execute(LockRequest.of("served").withWaitTime(LONG), lease -> this.served.add(1)));
        soon().until(() -> first.waiting() == 2);
        Call<Boolean> other = join(second, 2);

        assertThat(leaver.leave()).isInstanceOf(CancellationException.class);
        soon().until(() -> first.waiting() == 1);
        assertThat(WaitingLine.of(this.redis, KEY)).hasSize(2).first().isEqualTo(place);
        this.owner.lock("served").unlock();

        neighbour.result();
        other.result();
        assertThat(this.served).containsExactly(1, 2);
    }
}
