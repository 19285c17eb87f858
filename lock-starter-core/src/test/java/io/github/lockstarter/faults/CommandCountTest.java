package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.registry.HandOffSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a lock costs in commands. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
@Timeout(180)
class CommandCountTest extends FaultFixture {

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

    /** The release and the renewal of the next owner, however many instances wait behind it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldBeTwoForAHandOver(int others) throws Exception {
        Instance owner = this.instances.at(this.server, CommandCountTest::patient);
        owner.lock("counted").lock();
        awaitSubscription(owner);
        CompletableFuture<Lease> waiting = this.instance.waitFor("counted");
        for (int i = 1; i <= others; i++) {
            WaitingLine.awaitSubscribed(this.redis, "lock:{counted}", i);
            CompletableFuture<Lease> unused =
                    this.instances.at(this.server, CommandCountTest::patient).waitFor("counted");
        }
        WaitingLine.awaitSubscribed(this.redis, "lock:{counted}", others + 1);
        soon().until(() -> Channel.subscribers(this.redis) == others + 2);
        // The message about the other lock, one of each check at a start, and two of each inbox to itself, of which the
        // owner has one as well.
        soon().untilAsserted(() ->
                assertThat(this.redis.infoCommandStats()).containsEntry("publish", 1L + 3L * (others + 1) + 2));
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        forgetWhatWasSent();

        owner.lock("counted").unlock();

        Lease lease = waiting.get(10, TimeUnit.SECONDS);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class, "counted") == 1);
        Map<String, Long> commands = this.redis.infoCommandStats();
        // The first renewal of a connection is sent with the text of its script.
        assertThat(commands.getOrDefault("eval", 0L) + commands.getOrDefault("evalsha", 0L))
                .isEqualTo(2);
        assertThat(commands).containsEntry("publish", 1L);
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isEqualTo(1);
        assertThat(this.proxy.commandsSeen(command -> true)).isEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
    }

    /**
     * Four instances pass each permit on sixteen times. All commands count, also those that scripts execute: a grant of
     * Redis costs 40 with its release, its renewal and the next place in the line.
     */
    @Test
    void shouldBeFewForAContendedPermit() throws Exception {
        int grants = 800;
        AtomicInteger left = new AtomicInteger(grants);
        LockRequest request = LockRequest.of("counted").withPermits(1, 4);
        HandOffSettings handOff = new HandOffSettings(Duration.ofSeconds(10), 16);
        List<CompletableFuture<Void>> owners = new ArrayList<>();
        List<Instance> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(this.instances.at(this.server, setup -> patient(setup).handOff(handOff)));
        }
        forgetWhatWasSent();

        for (Instance other : others) {
            for (int thread = 0; thread < 4; thread++) {
                owners.add(inThread(() -> {
                    while (left.getAndDecrement() > 0) {
                        try (Lease unused = other.registry().acquire(request)) {
                            Thread.sleep(1);
                        }
                    }
                    return null;
                }));
            }
        }
        for (CompletableFuture<Void> owner : owners) {
            get(owner);
        }

        long commands = this.redis.infoCommandStats().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat((double) commands / grants).isLessThan(6);
    }

    /** Has waited once for another lock, so that it is subscribed. */
    private void awaitSubscription(Instance owner) {
        owner.lock("other").lock();
        CompletableFuture<Lease> waiting = this.instance.waitFor("other");
        WaitingLine.awaitSubscribed(this.redis, "lock:{other}", 1);
        owner.lock("other").unlock();
        waiting.thenAccept(Lease::release).orTimeout(60, TimeUnit.SECONDS).join();
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
