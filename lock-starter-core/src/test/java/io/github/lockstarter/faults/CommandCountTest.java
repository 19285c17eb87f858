package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a lock costs in commands. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class CommandCountTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance instance;

    CommandCountTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        Script.loadAll(redis);
        this.instance = this.instances.at(proxy, setup -> patient(setup).withDescription());
        // In the background; the next time is after half a minute.
        soon().until(() -> proxy.commandsSeen(Script.REGISTER) == 1);
        // Executed after it, on the same connection.
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        forgetWhatWasSent();
    }

    @Test
    void shouldBeTwoForAPairWhateverTheApi() throws Exception {
        this.instance.registry().acquire(LockRequest.of("counted")).close();
        this.instance.registry().execute(LockRequest.of("counted"), Lease::isHeld);
        this.instance
                .registry()
                .acquireAsync(LockRequest.of("counted"))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .close();

        assertThat(this.proxy.commandsSeen(command -> true)).isEqualTo(6);
    }

    @Test
    void shouldBeNoneForNestedHoldsAndForQuestionsThatAreAnsweredHere() {
        LeaseLock lock = this.instance.lock("counted");
        lock.lock();
        forgetWhatWasSent();

        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(3);
        lock.currentLease().ensureHeld(Duration.ofSeconds(1));
        assertThat(lock.currentLease().remaining()).isPositive();
        lock.unlock();
        lock.unlock();

        assertThat(this.proxy.commandsSeen(command -> true)).isZero();
        lock.unlock();
    }

    @Test
    void shouldBeNoneForALockThatIsTakenInThisInstance() throws Exception {
        this.instance.lock("counted").lock();
        forgetWhatWasSent();

        assertThat(Call.start(() -> this.instance.lock("counted").tryLock()).result())
                .isFalse();

        assertThat(this.proxy.commandsSeen(command -> true)).isZero();
    }

    @Test
    void shouldNotAskForEveryThreadThatWaits() throws Exception {
        Instance owner = this.instances.at(this.server, CommandCountTest::patient);
        owner.lock("counted").lock();
        forgetWhatWasSent();
        for (int i = 0; i < 10; i++) {
            Call.start(() -> this.instance.lock("counted").tryLock(Duration.ofSeconds(10)))
                    .awaitParked();
        }

        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).as("one waits for all").hasSize(1);
    }

    @Test
    void shouldBeTwoForAHandOver() throws Exception {
        Instance owner = this.instances.at(this.server, CommandCountTest::patient);
        owner.lock("counted").lock();
        awaitSubscription(owner);
        CompletableFuture<Lease> waiting = this.instance.waitFor("counted");
        WaitingLine.awaitLength(this.redis, "lock:{counted}", 1);
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        forgetWhatWasSent();

        owner.lock("counted").unlock();

        Lease lease = waiting.get(10, TimeUnit.SECONDS);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class, "counted") == 1);
        Map<String, Long> commands = this.redis.infoCommandStats();
        // The first renewal of a connection is sent with the text of its script.
        assertThat(commands.getOrDefault("eval", 0L) + commands.getOrDefault("evalsha", 0L))
                .as("the release and the renewal")
                .isEqualTo(2);
        assertThat(commands).containsEntry("publish", 1L);
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isEqualTo(1);
        assertThat(this.proxy.commandsSeen(command -> true)).isEqualTo(1);
        assertThat(lease.release()).isTrue();
    }

    /** Has waited once for another lock, so that it is subscribed. */
    private void awaitSubscription(Instance owner) {
        owner.lock("other").lock();
        CompletableFuture<Lease> waiting = this.instance.waitFor("other");
        WaitingLine.awaitLength(this.redis, "lock:{other}", 1);
        owner.lock("other").unlock();
        waiting.thenAccept(Lease::release).join();
    }

    /** No renewal by the clock, and no second attempt, in the time of a test. */
    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(30))
                .pollInterval(Duration.ofSeconds(10))
                .commandTimeout(Duration.ofSeconds(5));
    }

    private void forgetWhatWasSent() {
        this.proxy.forgetCommands();
        this.redis.command("CONFIG", "RESETSTAT");
    }
}
