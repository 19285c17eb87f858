package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a lock costs in commands. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class CommandCountTest extends FaultFixture {

    private static final int FEW = 2;

    private static final int MANY = 10;

    private static final int TURNS = 200;

    /** Of work under the lock: all others are back in line before it is over. */
    private static final long WORK_NANOS = 1_000_000;

    private static final int DEPTH = 100_000;

    private Instance instance;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.proxy, setup -> patient(setup).withDescription());
        // In the background; the next time is after half a minute.
        soon().until(() -> this.proxy.commandsSeen(Script.REGISTER) == 1);
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

    @Test
    void shouldCostTwoCommandsHoweverDeep() {
        LeaseLock lock = this.instance.lock("deep");
        forgetWhatWasSent();
        for (int i = 0; i < DEPTH; i++) {
            lock.lock();
        }
        assertThat(lock.getHoldCount()).isEqualTo(DEPTH);
        for (int i = 1; i < DEPTH; i++) {
            lock.unlock();
        }

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(this.redis.exists("lock:{deep}")).isTrue();
        lock.unlock();
        assertThat(this.redis.exists("lock:{deep}")).isFalse();
        assertThat(this.proxy.commandsSeen(command -> true)).isEqualTo(2);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldNotGrowWithTheNumberOfInstances() throws Exception {
        double few = commandsEach(FEW);
        double many = commandsEach(MANY);

        assertThat(many).as("commands each, with few: " + few).isLessThan(few * 1.3);
    }

    /** All calls that Redis counts, those inside of scripts too, for each grant of a lock that goes from instance to instance. */
    private double commandsEach(int members) throws Exception {
        try (Instances crowd = new Instances()) {
            AtomicInteger turns = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            List<Call<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                Instance member = crowd.at(
                        this.server,
                        setup -> patient(setup)
                                .lease(LONG)
                                .pollInterval(Duration.ofSeconds(5))
                                .withoutHandOff());
                calls.add(Call.start(() -> takeTurns(member, turns, over)));
            }
            // all have found their place in line
            within(LONG).until(() -> turns.get() > 10 * members);
            int turnsBefore = turns.get();
            long commandsBefore = commands();
            within(LONG).until(() -> turns.get() > turnsBefore + TURNS);
            double each = (double) (commands() - commandsBefore) / (turns.get() - turnsBefore);
            over.set(true);
            for (Call<Boolean> call : calls) {
                assertThat(call.result()).isTrue();
            }
            return each;
        }
    }

    private long commands() {
        return this.redis.infoCommandStats().entrySet().stream()
                .filter(command -> !command.getKey().equals("info"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static boolean takeTurns(Instance instance, AtomicInteger turns, AtomicBoolean over) throws Exception {
        LockRequest request = LockRequest.of("handed").withWaitTime(LONG);
        while (!over.get()) {
            instance.registry().execute(request, lease -> {
                turns.incrementAndGet();
                LockSupport.parkNanos(WORK_NANOS);
                return true;
            });
        }
        return true;
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
