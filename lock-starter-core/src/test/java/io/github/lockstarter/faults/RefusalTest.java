package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis is there and refuses: that is waited for, and nobody takes it for a lock that somebody else holds. */
@Tag("redis")
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class RefusalTest {

    private static RedisServer server;

    @AutoClose
    private final RedisCli redis = server.cli();

    @AutoClose
    private final RedisCli busy = server.cli(Duration.ofSeconds(30));

    @AutoClose
    private final Instances instances = new Instances();

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** So long that nothing runs out while Redis refuses; renewed often, so that it is noticed soon. */
    private Instance calm() {
        return this.instances.at(server, Setup::calm);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeWaitedFor(Refusal refusal) throws Exception {
        Instance instance = calm();
        Lease held = instance.registry().acquire(LockRequest.of("held"));
        refusal.begin(this.redis, this.busy);
        try {
            assertThatItIsNoAnswer(refusal, instance.lock("wanted"));
            soon().until(() -> held.state() == State.AT_RISK);
        } finally {
            Call<Boolean> waiter = Call.start(() -> instance.registry()
                    .execute(LockRequest.of("wanted").withWaitTime(LockRequest.FOREVER), Lease::isHeld));
            waiter.awaitParked();
            assertThat(waiter.isDone()).isFalse();
            refusal.end(this.redis, this.busy);
            assertThat(waiter.result()).as("granted once it is over").isTrue();
        }

        // A renewal that was refused may be reported after one that was not.
        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0 && held.state() == State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(held.release()).isTrue();
        soon().until(() -> this.redis.keys().isEmpty());
    }

    private static void assertThatItIsNoAnswer(Refusal refusal, LeaseLock lock) {
        LockStoreException once = catchThrowableOfType(LockStoreException.class, lock::tryLock);
        assertThat(once).hasMessageContaining("'wanted'").hasMessageContaining(refusal.name());
        assertThat(once.isTransient()).isTrue();
        assertThat(once.isOutcomeUnknown()).as("refused is not executed").isFalse();
        Duration wait = Duration.ofMillis(600);
        long askedAt = System.nanoTime();

        LockStoreException bounded = catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(wait));

        assertThat(bounded.isTransient()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - askedAt)).isBetween(wait, wait.plusSeconds(4));
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void shouldLoseTheLockAtTheDeadlineIfItGoesOn() throws Exception {
        Instance instance = this.instances.at(server);
        Lease lease = instance.registry().acquire(LockRequest.of("held"));
        Refusal.NOREPLICAS.begin(this.redis, this.busy);
        try {
            // the key is asked first: gone, and still held, would be a lie
            while (lease.isHeld()) {
                boolean gone = !this.redis.exists("lock:{held}");
                assertThat(gone && lease.isHeld()).isFalse();
            }
            assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isEqualTo(LossReason.EXPIRED);
        } finally {
            Refusal.NOREPLICAS.end(this.redis, this.busy);
        }
        within(Duration.ofSeconds(3)).until(() -> !this.redis.exists("lock:{held}"));
    }

    @Test
    void shouldComeBackWhenThereWereTooManyClients() throws Exception {
        Instance instance = calm();
        Lease held = instance.registry().acquire(LockRequest.of("held"));
        this.redis.command("CONFIG", "SET", "maxclients", "1");
        try {
            this.redis.command("CLIENT", "KILL", "TYPE", "normal");
            soon().until(() -> held.state() == State.AT_RISK);
            LeaseLock lock = instance.lock("wanted");
            LockStoreException failure =
                    catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMillis(300)));
            assertThat(failure.isTransient()).isTrue();
        } finally {
            this.redis.command("CONFIG", "SET", "maxclients", "10000");
        }

        // A renewal that was refused may be reported after one that was not.
        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0 && held.state() == State.HELD);
        assertThat(instance.lock("wanted").tryLock()).isTrue();
        instance.lock("wanted").unlock();
        assertThat(held.release()).isTrue();
    }
}
