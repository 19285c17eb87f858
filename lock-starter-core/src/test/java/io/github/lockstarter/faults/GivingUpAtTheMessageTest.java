package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A race, round after round: a waiter gives up while the message about its grant is on its way. */
@RedisTest
class GivingUpAtTheMessageTest {

    private static final int ROUNDS = 150;

    private static final String NAME = "raced";

    private static final String KEY = "lock:{" + NAME + "}";

    /** Until the waiter gives up, if it does so by itself. */
    private static final Duration WAIT = Duration.ofMillis(100);

    /** From before the message arrives to after the grant has been delivered. */
    private static final Duration SPAN = Duration.ofMillis(2);

    /** A lock that was forgotten would stay for twice this time. */
    private static final Duration POLL = Duration.ofSeconds(20);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance owner;

    private final Instance leaving;

    private final Instance staying;

    private int granted;

    GivingUpAtTheMessageTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        Script.loadAll(redis);
        this.owner = this.instances.at(server, GivingUpAtTheMessageTest::patient);
        this.leaving = this.instances.at(server, GivingUpAtTheMessageTest::patient);
        this.staying = this.instances.at(server, GivingUpAtTheMessageTest::patient);
    }

    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(120)).pollInterval(POLL).commandTimeout(Duration.ofSeconds(5));
    }

    private static LockRequest request() {
        return LockRequest.of(NAME).withWaitTime(LIMIT);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveTheLockToTheNext(GivingUp how) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            race(how, SPAN.toNanos() * round / ROUNDS);
        }

        Remarks.say("granted " + this.granted + " of " + ROUNDS + ", " + how);
        assertThat(this.granted).as("neither always in time nor never").isBetween(1, ROUNDS - 1);
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.leaving.active() + this.leaving.waiting()).isZero();
    }

    private void race(GivingUp how, long difference) throws Exception {
        Lease held = this.owner.acquire(NAME);
        long startedAt = System.nanoTime();
        Call<Optional<Lease>> leaver = how.join(this.leaving);
        awaitInLine(1, leaver);
        CompletableFuture<Lease> next = this.staying.waitFor(NAME);
        awaitInLine(2, leaver);

        if (how == GivingUp.TIME_OUT) {
            LockSupport.parkNanos(startedAt + WAIT.minus(SPAN.dividedBy(2)).toNanos() + difference - System.nanoTime());
        }
        CompletableFuture<Boolean> released = held.releaseAsync().toCompletableFuture();
        if (how != GivingUp.TIME_OUT) {
            // Most of the rounds near the beginning, where the message is on its way.
            LockSupport.parkNanos(difference * difference / SPAN.toNanos());
            leaver.interrupt();
        }

        Optional<Lease> lease = leaver.result();
        assertThat(released.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        if (lease.isPresent()) {
            this.granted++;
            assertThat(lease.get().release()).isTrue();
        }
        Lease following = next.get(5, TimeUnit.SECONDS);
        assertThat(following.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(following.release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
    }

    private void awaitInLine(int length, Call<?> leaver) {
        soon().until(() -> WaitingLine.of(this.redis, KEY).size() == length || leaver.isDone());
    }

    /** How the waiter gives up: by itself, or when its thread is interrupted. */
    enum GivingUp {
        TIME_OUT {
            @Override
            Call<Optional<Lease>> join(Instance instance) {
                return Call.start(() -> instance.registry().tryAcquire(request().withWaitTime(WAIT)));
            }
        },
        INTERRUPT {
            @Override
            Call<Optional<Lease>> join(Instance instance) {
                return Call.start(() -> {
                    try {
                        return Optional.of(instance.registry().acquire(request()));
                    } catch (InterruptedException ex) {
                        return Optional.empty();
                    }
                });
            }
        },
        CANCEL {
            @Override
            Call<Optional<Lease>> join(Instance instance) {
                CompletableFuture<Lease> lease =
                        instance.registry().acquireAsync(request()).toCompletableFuture();
                return Call.start(() -> {
                    try {
                        return Optional.of(lease.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
                    } catch (InterruptedException ex) {
                        return lease.cancel(true) ? Optional.empty() : Optional.of(lease.join());
                    }
                });
            }
        };

        abstract Call<Optional<Lease>> join(Instance instance);
    }
}
