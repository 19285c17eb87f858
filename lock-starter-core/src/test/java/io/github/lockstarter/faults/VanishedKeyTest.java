package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The key of a lock that is held disappears: nobody can prevent that, but its owner learns of it at the next renewal. */
@RedisTest
class VanishedKeyTest {

    private static final String KEY = "lock:{vanished}";

    enum Disappearance {
        DELETED {
            @Override
            void happen(RedisCli redis) {
                redis.command("DEL", KEY);
            }
        },
        FLUSHED {
            @Override
            void happen(RedisCli redis) {
                redis.flushall();
            }
        },
        /** Everything else has no time to live, as the data of most applications that also use Redis for locks. */
        EVICTED {
            @Override
            void happen(RedisCli redis) {
                redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
                redis.command("CONFIG", "SET", "maxmemory", "6mb");
                for (int i = 0; redis.exists(KEY); i++) {
                    try {
                        redis.command("SET", "filler:" + i, "x".repeat(50_000));
                    } catch (RedisErrorException ex) {
                        assertThat(ex).as("nothing is left to evict").hasMessageStartingWith("OOM");
                    }
                }
                redis.command("CONFIG", "SET", "maxmemory", "0");
            }
        };

        abstract void happen(RedisCli redis);
    }

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final Instance instance;

    private final Lease lease;

    VanishedKeyTest(RedisServer server, RedisCli redis) throws InterruptedException {
        this.server = server;
        this.redis = redis;
        this.instance = this.instances.at(server, Setup::calm);
        this.lease = this.instance.registry().acquire(LockRequest.of("vanished"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeToldToTheOwnerAndNotBeCreatedAgain(Disappearance disappearance) throws Exception {
        disappearance.happen(this.redis);

        assertThat(this.lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isEqualTo(LossReason.DELETED);

        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.lease.release()).isFalse();
        assertThat(this.redis.exists(KEY)).isFalse();
        soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
        Lease next = this.instance.registry().acquire(LockRequest.of("vanished"));
        assertThat(next.fencingToken()).isGreaterThan(this.lease.fencingToken());
        assertThat(next.release()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"DELETED", "FLUSHED"})
    void shouldLetTheNextOneInWithALargerToken(Disappearance disappearance) throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.calm().pollInterval(Duration.ofMillis(100)));
        Call<Lease> waiter = Call.start(
                () -> other.registry().acquire(LockRequest.of("vanished").withWaitTime(LIMIT)));
        WaitingLine.awaitLength(this.redis, KEY, 1);

        disappearance.happen(this.redis);

        Lease successor = waiter.result();
        assertThat(successor.fencingToken()).isGreaterThan(this.lease.fencingToken());
        assertThat(this.lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isIn(LossReason.TAKEN_OVER, LossReason.DELETED);
        assertThat(this.lease.release()).isFalse();
        long renewed = other.events().count(LockRenewedEvent.class);
        soon().until(() -> other.events().count(LockRenewedEvent.class) > renewed + 1);
        assertThat(successor.release()).as("nobody deleted it").isTrue();
    }
}
