package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A command of a reader or of a holder of permits is lost, or executed twice. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class SharedReplayTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    /** Holds the lock beside the instance under test, so that the key does not end with its grants. */
    private final Instance other;

    SharedReplayTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        Script.loadAll(redis);
        this.other = this.instances.at(server, SharedReplayTest::longLease);
    }

    /** So long that a grant which is gone did not expire. */
    private static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }

    private Instance instance(boolean repeatedByTheClient) {
        return this.instances.at(
                this.proxy, setup -> repeatedByTheClient ? longLease(setup).sharedConnection() : longLease(setup));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeOneGrantIfTheClientReplaysTheAcquire(SharedGrants kind) throws Exception {
        shouldBeOneGrant(kind, instance(true));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeOneGrantIfAThreadRetriesTheAcquire(SharedGrants kind) throws Exception {
        shouldBeOneGrant(kind, instance(false));
    }

    private void shouldBeOneGrant(SharedGrants kind, Instance instance) throws Exception {
        Lease beside = this.other.registry().acquire(kind.request());
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutFin);

        Lease lease = instance.registry().acquire(kind.request());

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isGreaterThan(1);
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).as("one id for all").hasSize(1);
        String id = Script.ACQUIRE.idsSeen(this.proxy).iterator().next();
        assertThat(SharedGrants.holders(this.redis)).hasSize(2).contains("h:" + id);
        assertThat(this.redis.hgetall(SharedGrants.KEY).get("h:" + id).split(":", -1)[1])
                .isEqualTo(Long.toString(lease.fencingToken()));
        if (kind == SharedGrants.PERMITS) {
            assertThat(this.other.registry().getSemaphore(SharedGrants.NAME, 3).availablePermits())
                    .isEqualTo(1);
        }
        assertThat(lease.release()).isTrue();
        assertThat(SharedGrants.holders(this.redis)).hasSize(1);
        assertThat(beside.release()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeBackAGrantWhoseReplyIsLost(SharedGrants kind) throws Exception {
        Instance instance = instance(false);
        Lease beside = this.other.registry().acquire(kind.request());
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutRst);

        assertThatThrownBy(() -> instance.registry().tryAcquire(kind.request().withWaitTime(Duration.ZERO)))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        ex -> assertThat(ex.isOutcomeUnknown()).isTrue());

        SharedGrants.awaitHolders(this.redis, 1);
        assertThat(beside.isHeld()).isTrue();
        assertThat(beside.release()).isTrue();
        assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseOneGrantOnlyIfTheReleaseIsReplayed(SharedGrants kind) throws Exception {
        for (boolean repeatedByTheClient : new boolean[] {true, false}) {
            Instance instance = instance(repeatedByTheClient);
            Lease beside = this.other.registry().acquire(kind.request());
            Lease lease = instance.registry().acquire(kind.request());
            this.proxy.forgetCommands();
            this.proxy.swallowReplyOf(Script.RELEASE, this.proxy::cutFin);

            assertThat(lease.release()).isTrue();

            soon().until(() -> this.proxy.commandsSeen(Script.RELEASE) > 1);
            assertThat(SharedGrants.holders(this.redis)).hasSize(1);
            assertThat(beside.isHeld()).isTrue();
            assertThat(beside.release()).isTrue();
            assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
            assertThat(instance.events().count(LockLostEvent.class)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseInTheBackgroundWhatWasNotReleased(SharedGrants kind) throws Exception {
        Instance instance = instance(false);
        Lease beside = this.other.registry().acquire(kind.request());
        Lease lease = instance.registry().acquire(kind.request());
        this.proxy.swallowRequestOf(Script.RELEASE, this.proxy::cutRst);

        assertThat(lease.release()).isTrue();

        SharedGrants.awaitHolders(this.redis, 1);
        assertThat(beside.release()).isTrue();
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeOneReaderIfTheDowngradeIsReplayed(boolean repeatedByTheClient) {
        Instance instance = instance(repeatedByTheClient);
        LeaseReadWriteLock lock = instance.registry().getReadWriteLock(SharedGrants.NAME);
        long token = writeAndRead(lock);
        this.proxy.swallowReplyOf(Script.DOWNGRADE, this.proxy::cutFin);

        lock.writeLock().unlock();

        soon().until(() -> this.proxy.commandsSeen(Script.DOWNGRADE) > 1);
        assertThatItReads(lock, token);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
    }

    @Test
    void shouldRepeatADowngradeThatWasLost() {
        LeaseReadWriteLock lock = instance(false).registry().getReadWriteLock(SharedGrants.NAME);
        long token = writeAndRead(lock);
        this.proxy.swallowRequestOf(Script.DOWNGRADE, this.proxy::cutRst);

        lock.writeLock().unlock();

        assertThatItReads(lock, token);
    }

    private static long writeAndRead(LeaseReadWriteLock lock) {
        lock.writeLock().lock();
        lock.readLock().lock();
        return lock.writeLock().currentLease().fencingToken();
    }

    private void assertThatItReads(LeaseReadWriteLock lock, long token) {
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(lock.readLock().currentLease().fencingToken()).isEqualTo(token);
        // The reader relies on the lease of the writer until the downgrade, which is repeated, has a reply.
        SharedGrants.awaitHolders(this.redis, 1);
        assertThat(this.other.lock(SharedGrants.NAME).tryLock()).isFalse();
        lock.readLock().unlock();
        assertThat(this.redis.exists(SharedGrants.KEY)).isFalse();
    }

    /** Redis never gets it: until the writer's lease is over, nobody else may have the lock, and then it is free. */
    @Test
    void shouldFreeTheLockOneLeaseAfterADowngradeThatRedisNeverGets() throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(Duration.ofMillis(1500)));
        LeaseReadWriteLock lock = instance.registry().getReadWriteLock(SharedGrants.NAME);
        long token = writeAndRead(lock);
        this.proxy.blackHole();

        lock.writeLock().unlock();
        Lease reading = lock.readLock().currentLease();
        soon().until(() -> !reading.isHeld());
        this.proxy.heal();
        Lease next = this.other.registry().acquire(LockRequest.of(SharedGrants.NAME));

        assertThat(reading.isHeld()).as("both at once").isFalse();
        assertThat(next.fencingToken()).isGreaterThan(token);
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(LockLostException.class);
        assertThat(next.release()).isTrue();
    }
}
