package io.github.lockstarter.wire;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An instance of the previous version and one of the present code share their locks. */
@RedisTest
class WireFormatTest {

    /** The key contains encoded characters. */
    private static final String NAME = "orders:{42}%";

    /** A waiter asks again after 24 s, and at the end of its wait after 10 s: what is granted in less was notified. */
    private static final long NOTIFIED_SECONDS = 5;

    private static final Duration HOLD = Duration.ofSeconds(2);

    private final RedisServer server;

    private final Instances instances = new Instances();

    private final Instance present;

    private final PreviousInstance previous;

    WireFormatTest(RedisServer server) {
        this.server = server;
        this.present = this.instances.at(
                server, setup -> setup.calm().withDescription().withoutPolling());
        this.previous = new PreviousInstance(server, "previous");
    }

    @AfterEach
    void stop() {
        this.previous.close();
        this.instances.close();
    }

    @Test
    void shouldExcludeEachOther() throws Exception {
        this.previous.acquire(NAME, "old");
        assertThat(this.present.lock(NAME).tryLock()).isFalse();
        assertThat(this.present.lock(NAME).isLocked()).isTrue();
        assertThat(this.previous.release(NAME, "old")).isEqualTo(1);

        Lease lease = this.present.acquire(NAME);
        assertThat(-this.previous.acquire(NAME, "older")).isBetween(1L, 12_000L);
        assertThat(this.previous.isLocked(NAME)).isTrue();
        assertThat(lease.release()).isTrue();

        assertThat(this.previous.isLocked(NAME)).isFalse();
        assertThat(this.previous.acquire(NAME, "old too")).isGreaterThan(lease.fencingToken());
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotifyEachKindOfWaiter(Waiter waiter) throws Exception {
        long before = this.previous.acquire(NAME, "old");
        CompletableFuture<Long> token = waiter.start(this.present, NAME);
        awaitLine(1);

        assertThat(this.previous.release(NAME, "old")).isEqualTo(1);

        assertThat(token.get(NOTIFIED_SECONDS, TimeUnit.SECONDS)).isGreaterThan(before);
        soon().until(() -> !this.previous.isLocked(NAME));
    }

    @Test
    void shouldNotifyTheWaiterOfThePreviousVersion() throws Exception {
        Lease lease = this.present.acquire(NAME);
        assertThat(this.previous.join(NAME, "old")).isNegative();

        assertThat(lease.release()).isTrue();

        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
        assertThat(this.previous.acquire(NAME, "old")).isGreaterThan(lease.fencingToken());
    }

    @Test
    void shouldTakeTurnsInOneLine() throws Exception {
        Instance fair = this.instances.at(
                this.server, setup -> setup.calm().withoutPolling().withoutHandOff());
        Lease first = fair.acquire(NAME);
        this.previous.join(NAME, "old");
        CompletableFuture<Lease> third = fair.waitFor(NAME);
        soon().until(() -> fair.waiting() == 1);

        assertThat(first.release()).isTrue();
        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
        long second = this.previous.acquire(NAME, "old");
        awaitLine(1);
        assertThat(this.previous.releaseTo(NAME, "old", "old too")).isEqualTo(2);

        Lease granted = third.get(NOTIFIED_SECONDS, TimeUnit.SECONDS);
        assertThat(granted.release()).isTrue();
        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
        assertThat(List.of(
                        first.fencingToken(), second, granted.fencingToken(), this.previous.acquire(NAME, "old too")))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    /** A token that was given in memory is larger than the one in Redis. */
    @Test
    void shouldContinueTheTokensOfLocalHandOvers() throws Exception {
        Lease first = this.present.acquire(NAME);
        CompletableFuture<Lease> second = this.present.waitFor(NAME);
        soon().until(() -> this.present.waiting() == 1);
        assertThat(first.release()).isTrue();
        Lease handedOver = get(second);

        this.previous.join(NAME, "old");
        assertThat(handedOver.release()).isTrue();

        assertThat(handedOver.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
        assertThat(this.previous.acquire(NAME, "old")).isGreaterThan(handedOver.fencingToken());
    }

    @Test
    void shouldLeaveTheLine() throws Exception {
        Lease lease = this.present.acquire(NAME);
        this.previous.join(NAME, "old");
        assertThat(this.previous.release(NAME, "old")).isEqualTo(3);
        assertThat(lease.release()).isTrue();
        assertThat(this.previous.isLocked(NAME)).isFalse();

        this.previous.acquire(NAME, "older");
        CompletableFuture<Lease> waiting = this.present.waitFor(NAME);
        awaitLine(1);
        waiting.cancel(true);
        awaitLine(0);
        assertThat(this.previous.release(NAME, "older")).isEqualTo(1);
        assertThat(this.previous.isLocked(NAME)).isFalse();
    }

    @Test
    void shouldShowEachOtherTheTimeThatIsLeft() throws Exception {
        Lease lease = this.present.acquire(NAME);
        lease.extend(Duration.ofMinutes(5));
        assertThat(-this.previous.acquire(NAME, "old")).isBetween(280_000L, 300_000L);
        assertThat(lease.release()).isTrue();

        this.previous.acquire(NAME, "older");
        assertThat(this.present.lock(NAME).tryLock()).isFalse();
        assertThat(this.previous.renew(NAME, "older")).isEmpty();
    }

    @Test
    void shouldUnlockEachOtherByForce() throws Exception {
        this.previous.acquire(NAME, "old");
        assertThat(this.present.lock(NAME).forceUnlock()).isTrue();
        assertThat(this.previous.renew(NAME, "old")).isEqualTo(List.of(1L, 0L));

        Lease lease = this.present.acquire(NAME);
        assertThat(this.previous.renew(NAME, "old")).isEqualTo(List.of(1L, -1L));
        assertThat(this.previous.forceUnlock(NAME)).isTrue();
        assertThat(get(lease.lost())).isEqualTo(LossReason.DELETED);

        Lease taken = this.present.acquire(NAME);
        assertThat(this.previous.forceUnlock(NAME)).isTrue();
        this.previous.acquire(NAME, "old too");
        assertThat(get(taken.lost())).isEqualTo(LossReason.TAKEN_OVER);
    }

    @Test
    void shouldRespectTheMinimumHoldOfThePreviousVersion() throws Exception {
        this.previous.acquire(NAME, "old");
        assertThat(this.previous.keep(NAME, "old", HOLD.toMillis())).isEqualTo(1);
        assertThat(this.present.lock(NAME).tryLock()).isFalse();

        Lease lease = this.present.waitFor(NAME).get(NOTIFIED_SECONDS, TimeUnit.SECONDS);

        assertThat(this.previous.keep(NAME, "old", HOLD.toMillis())).isEqualTo(-1);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldHaveItsMinimumHoldRespected() throws Exception {
        Lease lease = this.present.registry().acquire(LockRequest.of(NAME).withMinHold(HOLD));
        assertThat(lease.release()).isTrue();

        assertThat(-this.previous.join(NAME, "old")).isBetween(1L, HOLD.toMillis());
        soon().until(() -> this.previous.acquire(NAME, "old") > lease.fencingToken());
    }

    /** Its ids have 22 characters, too, but of the alphabet for URLs, and no instance in them. */
    @Test
    void shouldShareALineWithIdsOfThePreviousVersion() throws Exception {
        String old = "Zm9vYmFyLV8tYmF6LXF1eA";
        String older = "AAAAAAAAAAA_-_BBBBBBBB";
        this.previous.acquire(NAME, old);
        CompletableFuture<Lease> waiting = this.present.waitFor(NAME);
        awaitLine(1);
        this.previous.join(NAME, older);

        Stored stored = this.present.registry().stored(NAME).orElseThrow();
        assertThat(stored.holder()).isEqualTo(new LockHolder(old));
        assertThat(stored.waiting()).isEqualTo(2);
        assertThat(this.previous.renew(NAME, old)).isEmpty();
        assertThat(this.previous.release(NAME, old)).isEqualTo(1);
        Lease lease = waiting.get(NOTIFIED_SECONDS, TimeUnit.SECONDS);
        assertThat(this.present.registry().stored(NAME).orElseThrow().holder().application())
                .isEqualTo("shop");
        assertThat(lease.release()).isTrue();

        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
        assertThat(this.previous.acquire(NAME, older)).isGreaterThan(lease.fencingToken());
        assertThat(this.previous.release(NAME, older)).isEqualTo(1);
        assertThat(this.previous.isLocked(NAME)).isFalse();
    }

    private void awaitLine(int length) {
        soon().until(() -> this.previous.lineLength(NAME) == length);
    }

    /** The ways to wait for a lock. Each releases it at once and returns the token that it had. */
    enum Waiter {
        LEASE {
            @Override
            long token(Instance instance, String lockName) throws Exception {
                try (Lease lease = instance.acquire(lockName)) {
                    return lease.fencingToken();
                }
            }
        },
        FUTURE {
            @Override
            long token(Instance instance, String lockName) throws Exception {
                try (Lease lease = get(instance.waitFor(lockName))) {
                    return lease.fencingToken();
                }
            }
        },
        LOCK {
            @Override
            long token(Instance instance, String lockName) {
                instance.lock(lockName).lock();
                try {
                    return instance.lock(lockName).currentLease().fencingToken();
                } finally {
                    instance.lock(lockName).unlock();
                }
            }
        },
        BODY {
            @Override
            long token(Instance instance, String lockName) {
                return instance.registry().execute(LockRequest.of(lockName), Lease::fencingToken);
            }
        };

        abstract long token(Instance instance, String lockName) throws Exception;

        CompletableFuture<Long> start(Instance instance, String lockName) {
            CompletableFuture<Long> token = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            token.complete(token(instance, lockName));
                        } catch (Exception ex) {
                            token.completeExceptionally(ex);
                        }
                    },
                    "waiter");
            thread.setDaemon(true);
            thread.start();
            return token;
        }
    }
}
