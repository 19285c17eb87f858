package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis has reached its {@code maxmemory} and evicts nothing. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class FullRedisTest extends FaultFixture {

    private static final String SHARED = "lock:{shared}";

    private static final LockRequest READER = LockRequest.of("shared").withMode(LockMode.READ);

    private Instance instance;

    private Instance other;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.server, FullRedisTest::inTheLine);
        this.other = this.instances.at(this.server, FullRedisTest::inTheLine);
    }

    /**
     * No reader joins the grant of another one, so that each of them is in the line. A waiter that loses its place
     * there because it is late for a poll cannot join again while Redis is full.
     */
    private static Setup inTheLine(Setup setup) {
        return setup.calm().withoutHandOff().pollInterval(Duration.ofSeconds(3));
    }

    private void fill() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
    }

    private static void awaitRenewals(Instance instance) {
        instance.awaitRenewals(2);
        assertThat(instance.events().count(LockAtRiskEvent.class)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFailNewAcquisitionsCleanly(boolean scriptsAreKnown) {
        fill();
        if (scriptsAreKnown) {
            Script.loadAll(this.redis);
        } else {
            this.redis.command("SCRIPT", "FLUSH");
        }
        LeaseLock lock = this.instance.lock("new");

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure).hasMessageContaining("OOM").hasMessageContaining("'new'");
        assertThat(failure.isOutcomeUnknown()).as("Redis refused").isFalse();
        assertThat(failure.isTransient()).as("may pass").isTrue();
        assertThat(this.redis.exists("lock:{new}")).isFalse();
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void shouldGrantTheLockToAWaiterWhenThereIsRoomAgain() throws Exception {
        fill();
        CompletableFuture<Boolean> waiter =
                inThread(() -> this.instance.lock("new").tryLock(LIMIT));
        soon().until(() -> this.instance.waiting() == 1);
        soon().during(Duration.ofMillis(300)).until(() -> !waiter.isDone());

        this.redis.command("CONFIG", "SET", "maxmemory", "0");

        assertThat(get(waiter)).isTrue();
    }

    @Test
    void shouldRenewAndReleaseWhatIsHeld() throws Exception {
        Lease held = this.instance.acquire("held");
        fill();

        awaitRenewals(this.instance);

        assertThat(held.state()).isEqualTo(State.HELD);
        assertThat(held.release()).isTrue();
        assertThat(this.redis.exists("lock:{held}")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRenewReleaseAndGrantToWaiters(boolean permits) throws Exception {
        LockRequest shared = permits ? LockRequest.of("shared").withPermits(1, 3) : READER;
        LockRequest exclusive = permits ? shared.withPermits(3, 3) : LockRequest.of("shared");
        Lease first = this.instance.registry().acquire(shared);
        Lease second = this.other.registry().acquire(shared);
        CompletableFuture<Lease> alone = this.other.registry().acquireAsync(exclusive);
        WaitingLine.awaitSubscribed(this.redis, SHARED, 1);
        CompletableFuture<Lease> behind = this.instance.registry().acquireAsync(shared);
        WaitingLine.awaitSubscribed(this.redis, SHARED, 2);

        fill();

        awaitRenewals(this.instance);
        awaitRenewals(this.other);
        assertThat(first.release()).isTrue();
        assertThat(second.release()).isTrue();
        assertThat(get(alone).release()).isTrue();
        assertThat(get(behind).release()).isTrue();
        assertThat(this.redis.exists(SHARED)).isFalse();
    }

    @Test
    void shouldDowngrade() throws Exception {
        LeaseReadWriteLock lock = this.instance.registry().getReadWriteLock("shared");
        lock.writeLock().lock();
        CompletableFuture<Lease> waiting = this.other.registry().acquireAsync(READER);
        WaitingLine.awaitSubscribed(this.redis, SHARED, 1);
        fill();

        lock.readLock().lock();
        lock.writeLock().unlock();

        assertThat(get(waiting).isHeld()).isTrue();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        assertThat(get(waiting).release()).isTrue();
    }
}
