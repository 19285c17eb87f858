package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis is there and refuses: that is waited for, and is not taken for a lock that is held. */
@Tag("redis")
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class RefusalTest {

    @AutoClose
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
            CompletableFuture<Boolean> waiter = inThread(() -> instance.registry()
                    .execute(LockRequest.of("wanted").withWaitTime(LockRequest.FOREVER), Lease::isHeld));
            soon().until(() -> instance.waiting() == 1);
            assertThat(waiter.isDone()).isFalse();
            refusal.end(this.redis, this.busy);
            assertThat(get(waiter)).as("granted once it is over").isTrue();
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

    /**
     * Why a Redis that is there executes nothing, or nothing that writes, for the time being. Named as its errors are.
     */
    enum Refusal {
        READONLY,
        MASTERDOWN,
        NOREPLICAS,
        BUSY;

        /**
         * Begins.
         *
         * @param busy a connection that may be kept busy until the end
         */
        void begin(RedisCli redis, RedisCli busy) {
            switch (this) {
                case READONLY -> redis.command("REPLICAOF", "127.0.0.1", "1");
                case MASTERDOWN -> {
                    redis.command("CONFIG", "SET", "replica-serve-stale-data", "no");
                    READONLY.begin(redis, busy);
                }
                case NOREPLICAS -> redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
                case BUSY -> {
                    redis.command("CONFIG", "SET", "lua-time-limit", "50");
                    busy.send("EVAL", "while true do end", "0");
                    awaitRefusal(redis);
                }
            }
        }

        void end(RedisCli redis, RedisCli busy) {
            switch (this) {
                case READONLY -> redis.command("REPLICAOF", "NO", "ONE");
                case MASTERDOWN -> {
                    READONLY.end(redis, busy);
                    redis.command("CONFIG", "SET", "replica-serve-stale-data", "yes");
                }
                case NOREPLICAS -> redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
                case BUSY -> redis.command("SCRIPT", "KILL");
            }
        }

        private void awaitRefusal(RedisCli redis) {
            soon().until(() -> {
                try {
                    redis.command("GET", "any");
                    return false;
                } catch (RedisErrorException ex) {
                    return String.valueOf(ex.getMessage()).startsWith(name());
                }
            });
        }
    }
}
