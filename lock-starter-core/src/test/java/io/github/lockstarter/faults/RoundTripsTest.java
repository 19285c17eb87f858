package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.Commands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How many round trips a call takes. The network stops all replies. Commands that are sent nevertheless are sent in one
 * trip, and their replies pass when all of them have been sent, so that no count depends on time.
 */
class RoundTripsTest extends FaultFixture {

    private static final String NAME = "far";

    private static final String KEY = "lock:{far}";

    private static final LockRequest PLAIN = LockRequest.of(NAME);

    private static final List<LockRequest> FOUR =
            IntStream.range(0, 4).mapToObj(i -> LockRequest.of("far-" + i)).toList();

    private static boolean isOfLocks(List<String> command) {
        return Stream.of(Script.values()).anyMatch(script -> script.test(command));
    }

    /** No renewal by the clock, no poll and no probe in the time of a test. */
    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofMinutes(5)).pollInterval(LONG).commandTimeout(Duration.ofSeconds(30));
    }

    private Instance start() {
        return this.instances.at(this.proxy, RoundTripsTest::patient);
    }

    /**
     * Executes a call, and asserts that it takes no more trips.
     *
     * @param commands the commands of each trip
     */
    private <T> T inTrips(Callable<T> call, int... commands) throws Exception {
        this.proxy.forgetCommands();
        this.proxy.holdReplies(RoundTripsTest::isOfLocks);
        CompletableFuture<T> result = inThread(call);
        long sent = 0;
        for (int each : commands) {
            sent += each;
            long expected = sent;
            soon().until(() -> this.proxy.commandsSeen(RoundTripsTest::isOfLocks) >= expected);
            this.proxy.permitReplies(each);
        }
        T value = get(result);
        this.proxy.heal();
        return value;
    }

    // ---- One instance

    @Test
    void shouldBeOneForEachEndOfALease() throws Exception {
        Instance instance = start();

        Lease lease = inTrips(() -> instance.registry().acquire(PLAIN), 1);
        assertThat(inTrips(lease::release, 1)).isTrue();

        Lease asynchronous = inTrips(() -> get(instance.registry().acquireAsync(PLAIN)), 1);
        assertThat(inTrips(() -> get(asynchronous.releaseAsync()), 1)).isTrue();
        assertThat(inTrips(() -> instance.lock(NAME).isLocked(), 1)).isFalse();
        assertThat(inTrips(() -> instance.registry().execute(PLAIN, Lease::isHeld), 1, 1))
                .isTrue();
    }

    /** The server has lost its scripts, and an instance has loaded them with its connection. */
    @Test
    void shouldBeOneForTheFirstUseOfAScript() throws Exception {
        this.redis.command("SCRIPT", "FLUSH");
        Instance instance = start();
        soon().until(() -> List.of(1L).equals(this.redis.command("SCRIPT", "EXISTS", LuaScript.RELEASE.getSha1())));

        Lease lease = inTrips(() -> instance.registry().acquire(PLAIN), 1);
        assertThat(inTrips(lease::release, 1)).isTrue();
    }

    /** A proxy may end a connection because of a command that it does not have. */
    @Test
    void shouldNotTryAgainToLoadScriptsAfterAConnectionThatEnded() throws Exception {
        Predicate<List<String>> script = Commands.named("script");
        this.proxy.swallowRequestOf(script, this.proxy::cutRst);
        Instance instance = start();
        soon().ignoreExceptions().until(() -> instance.registry().acquire(PLAIN).release());

        assertThat(this.proxy.commandsSeen(script)).isEqualTo(1);
    }

    @Test
    void shouldBeNoneForAReleaseInTheBackground() throws Exception {
        Instance instance =
                this.instances.at(this.proxy, setup -> patient(setup).releaseMode(ReleaseMode.BACKGROUND));
        Lease lease = inTrips(() -> instance.registry().acquire(PLAIN), 1);

        assertThat(inTrips(lease::release)).isTrue();

        soon().until(() -> !this.redis.exists(KEY));
    }

    @Test
    void shouldBeOneForSeveralLocksOfACallAndOneForTheirRelease() throws Exception {
        Instance instance = start();

        assertThat(inTrips(() -> instance.registry().execute(FOUR, Lease::isHeld), FOUR.size(), FOUR.size()))
                .isTrue();
    }

    /** All are under way without a reply at some time. */
    @Test
    void shouldBeOneForAllRenewals() throws Exception {
        int locks = 200;
        Instance instance = this.instances.at(
                this.proxy, setup -> patient(setup).lease(Duration.ofMinutes(5), Duration.ofMillis(500)));
        for (int i = 0; i < locks; i++) {
            Lease unused = get(instance.waitFor("renewed-" + i));
        }

        this.proxy.holdReplies(Script.RENEW);

        soon().until(() -> renewalsSent() - instance.events().count(LockRenewedEvent.class) >= locks);
        this.proxy.heal();
    }

    /** One command renews several locks, and may repeat its last key. */
    private long renewalsSent() {
        AtomicLong sent = new AtomicLong();
        this.proxy.commandsSeen(Script.RENEW.and(command -> sent.addAndGet(command.stream()
                        .filter(word -> word.startsWith("lock:{renewed-"))
                        .distinct()
                        .count())
                > 0));
        return sent.get();
    }

    // ---- Two instances

    /** The first command puts it into the line; the subscription follows. */
    @Test
    void shouldBeNoneBeforeTheFirstWaitStandsInLine() throws Exception {
        Instance owner = this.instances.at(this.server, RoundTripsTest::patient);
        Instance instance = start();
        Lease held = owner.registry().acquire(PLAIN);
        long connections = this.proxy.connectionsAccepted();
        this.proxy.holdReplies(RoundTripsTest::isOfLocks);

        CompletableFuture<Lease> waiting = instance.registry().acquireAsync(PLAIN);

        WaitingLine.awaitLength(this.redis, KEY, 1);
        assertThat(this.proxy.connectionsAccepted()).isEqualTo(connections);
        this.proxy.heal();
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        held.release();
        assertThat(get(waiting).isHeld()).isTrue();
    }

    static Stream<LockRequest> requests() {
        return Stream.of(PLAIN, PLAIN.withMode(LockMode.READ), PLAIN.withPermits(1, 1));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void shouldBeNoneAfterTheMessageAboutAGrant(LockRequest request) throws Exception {
        Instance owner = this.instances.at(this.server, RoundTripsTest::patient);
        Instance instance = start();
        Lease held =
                owner.registry().acquire(request.mode() == LockMode.READ ? request.withMode(LockMode.WRITE) : request);
        CompletableFuture<Lease> waiting = instance.registry().acquireAsync(request);
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        // Its reply follows that to the last attempt of the waiter.
        assertThat(instance.lock("barrier").isLocked()).isFalse();

        Lease lease = inTrips(() -> {
            held.release();
            return get(waiting);
        });

        assertThat(lease.isHeld()).isTrue();
    }
}
