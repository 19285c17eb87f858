package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.registry.HandOffSettings;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.Leftovers;
import io.github.lockstarter.registry.LockSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The base of all contracts: registries over one backend, each with its own store, as if it ran in its own JVM. After
 * each test no lock, lease, waiter or thread may be left.
 */
@Timeout(60)
abstract class RegistryFixture {

    static final String NAME = "orders:42";

    /** Watchdog timeout of a registry whose leases are to run out in a test. */
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Watchdog timeout of all others: no lease ends because a thread waits for its turn on a busy machine. */
    static final Duration LASTING = Duration.ofSeconds(15);

    static final Duration RENEWAL = TIMEOUT.dividedBy(4);

    /** For leases that must not end during a test. */
    static final Duration LONG = Duration.ofSeconds(60);

    /** Admission window and budget of hand-overs that do not end in a test. */
    static final HandOffSettings GENEROUS = new HandOffSettings(Duration.ofSeconds(10), 10_000);

    /** Every grant comes from the store. */
    static final HandOffSettings NONE = new HandOffSettings(Duration.ZERO, 0);

    /** Backends over which this JVM has renewed a lock. */
    private static final Set<Class<?>> WARM = ConcurrentHashMap.newKeySet();

    @SuppressWarnings("NullAway.Init")
    private LockBackend backend;

    /** Precedes all that a contract does. */
    @RegisterExtension
    final BeforeEachCallback newBackend = context -> this.backend = context.getRequiredTestInstances()
            .findInstance(BackendSource.class)
            .orElseThrow()
            .newBackend();

    LockBackend backend() {
        return this.backend;
    }

    private final List<LeasingLockRegistry> registries = new ArrayList<>();

    private final List<SimpleMeterRegistry> meters = new ArrayList<>();

    private final List<Actor> actors = new ArrayList<>();

    /** Of registries that other tests may have left. */
    private final Set<Thread> threadsBefore = libraryThreads();

    /** The first renewal of a JVM loads classes, which on a busy machine takes longer than the leases of tests last. */
    @BeforeEach
    void warmUp() throws Exception {
        if (WARM.add(this.backend.getClass())) {
            EventLog events = new EventLog();
            LeasingLockRegistry registry = registry(
                    LockSettings.of(LONG, OnLost.THROW, LONG, Duration.ofMillis(100), null, null, null, LONG), events);
            try (Lease lease = registry.acquire(LockRequest.of("warm-up"))) {
                soon().until(() -> events.count(LockRenewedEvent.class) > 0);
            }
            registry.stop();
        }
    }

    /** One more "JVM". */
    LeasingLockRegistry registry(LockListener... listeners) {
        return registry(lasting(), listeners);
    }

    /** One more "JVM", with such settings. */
    LeasingLockRegistry registry(LockSettings settings, LockListener... listeners) {
        LeasingLockRegistry registry = unstarted(settings, listeners);
        registry.start();
        return registry;
    }

    LeasingLockRegistry unstarted(LockSettings settings, LockListener... listeners) {
        SimpleMeterRegistry recorded = new SimpleMeterRegistry();
        MicrometerLockListener recording = new MicrometerLockListener(recorded);
        LeasingLockRegistry registry =
                new LeasingLockRegistry(this.backend.newStore(), settings, recording, List.of(listeners));
        recording.setStatistics(registry);
        this.registries.add(registry);
        this.meters.add(recorded);
        return registry;
    }

    /** Leases that do not end in a test, renewed as often as those of {@link #TIMEOUT}. */
    static LockSettings lasting() {
        return settings(LASTING, RENEWAL, Duration.ofSeconds(4), Duration.ofMillis(150), Duration.ofSeconds(10));
    }

    /** The leases that a stop leaves end within seconds. */
    static LockSettings withShutdownTimeout(Duration shutdownTimeout) {
        return withShutdownTimeout(Duration.ofSeconds(2), shutdownTimeout);
    }

    static LockSettings withShutdownTimeout(Duration timeout, Duration shutdownTimeout) {
        return settings(timeout, RENEWAL, Duration.ofMillis(700), Duration.ofMillis(150), shutdownTimeout);
    }

    /** Renewal four times within the timeout; polling as it follows from the timeout. */
    static LockSettings settings(Duration timeout) {
        return settings(timeout, timeout.dividedBy(4), commandTimeout(timeout), null, Duration.ofSeconds(10));
    }

    /** Waiters that practically never look by themselves. */
    static LockSettings withoutPolling(Duration timeout) {
        return settings(timeout, timeout.dividedBy(4), commandTimeout(timeout), LONG, Duration.ofSeconds(10));
    }

    /** Leases that do not end, and commands that have to be quick. */
    static LockSettings withCommandTimeout(Duration commandTimeout) {
        return settings(LONG, null, commandTimeout, null, Duration.ofSeconds(10));
    }

    /** A stop waits that long for the reply to a command whose waiter has left. */
    private static Duration commandTimeout(Duration timeout) {
        return Duration.ofMillis(Math.min(timeout.toMillis() * 3 / 10, 4000));
    }

    private static LockSettings settings(
            Duration timeout,
            @Nullable Duration renewal,
            Duration command,
            @Nullable Duration poll,
            Duration shutdownTimeout) {
        return LockSettings.of(
                Duration.ofSeconds(10), OnLost.THROW, timeout, renewal, null, command, poll, shutdownTimeout);
    }

    /** Nothing is renewed and nothing polls during a test, so that commands can be counted. */
    static LockSettings quiet(HandOffSettings handOff) {
        return withoutPolling(LONG).withHandOff(handOff);
    }

    static LockRequest request() {
        return LockRequest.of(NAME);
    }

    static LockRequest reader() {
        return request().withMode(LockMode.READ);
    }

    static LockRequest permits(int weight, int permits) {
        return request().withPermits(weight, permits);
    }

    /**
     * Waits until the lease has been renewed twice, however long that takes: otherwise what is left only becomes less.
     */
    static void awaitRenewals(Lease lease) {
        for (int times = 0; times < 2; times++) {
            Duration[] left = {lease.remaining()};
            soon().until(() -> {
                Duration before = left[0];
                left[0] = lease.remaining();
                return left[0].compareTo(before) > 0;
            });
        }
        assertThat(lease.isHeld()).isTrue();
    }

    /** One more thread. */
    Actor actor() {
        Actor actor = new Actor(String.valueOf(this.actors.size() + 1));
        this.actors.add(actor);
        return actor;
    }

    /** Waits until so many acquisitions of the registry wait. */
    static void awaitWaiting(LeasingLockRegistry registry, int count) {
        soon().until(() -> registry.waiting() == count);
    }

    /** Waits until so many stand in line at the store. */
    void awaitInLine(int count) {
        soon().until(() -> this.backend.inLine(NAME) == count);
    }

    @AfterEach
    void nothingShouldBeLeft() {
        try {
            soon().untilAsserted(() -> {
                assertThat(this.registries).as("leases").allMatch(registry -> registry.active() == 0);
                assertThat(this.registries).as("waiters").allMatch(registry -> registry.waiting() == 0);
                assertThat(this.backend.locked()).as("locks").isEmpty();
                assertThat(this.registries)
                        .as("what registries keep")
                        .allSatisfy(
                                registry -> assertThat(Leftovers.of(registry)).isEmpty());
                assertThat(this.meters).as("meters").allSatisfy(RegistryFixture::assertEverythingEnded);
            });
        } finally {
            this.actors.forEach(Actor::close);
            this.registries.forEach(LeasingLockRegistry::stop);
            this.backend.close();
        }
        soon().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    /** Each wait and each grant has ended, and was recorded once. */
    private static void assertEverythingEnded(MeterRegistry recorded) {
        for (String name : List.of("distributed.lock.waiting", "distributed.lock.active")) {
            assertThat(recorded.find(name).gauges())
                    .as(name)
                    .allSatisfy(gauge -> assertThat(gauge.value()).isZero());
        }
        assertThat(count(recorded.find("distributed.lock.hold")))
                .as("recorded holds, of as many grants")
                .isEqualTo(count(recorded.find("distributed.lock.acquire").tag("outcome", "acquired")));
    }

    private static long count(Search timers) {
        return timers.timers().stream().mapToLong(Timer::count).sum();
    }

    /** The library's threads that this test has started and that are alive. */
    List<Thread> threads() {
        return libraryThreads().stream()
                .filter(thread -> !this.threadsBefore.contains(thread))
                .toList();
    }

    private static Set<Thread> libraryThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lock-"))
                .collect(Collectors.toSet());
    }
}
