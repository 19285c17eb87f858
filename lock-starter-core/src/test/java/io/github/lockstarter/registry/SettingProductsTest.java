package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each setting of a name with each attribute of a request, in each way to acquire a lock. One rule states what must
 * hold: the attribute of the request applies, or else the setting of the name, or else the default; and a fixed lease
 * is not renewed.
 */
@Timeout(60)
@SuppressWarnings({"ImmutableEnumChecker", "LockNotBeforeTry"}) // changes of requests, and holds that end out of order
class SettingProductsTest {

    private static final Duration NONE = LockRequest.FOREVER;

    private static final LockSettings COMMON = LockSettings.of(
            Fact.WAIT_TIME.common, OnLost.THROW, Fact.WATCHDOG_TIMEOUT.common, null, null, null, null, Duration.ZERO);

    /** What a lock has. */
    private enum Fact {
        WATCHDOG_TIMEOUT(Duration.ofSeconds(60)),
        LEASE(NONE),
        MAX_HOLD(NONE),
        MIN_HOLD(Duration.ZERO),
        WAIT_TIME(Duration.ofMillis(3));

        final Duration common;

        Fact(Duration common) {
            this.common = common;
        }
    }

    /**
     * Properties {@code distributed-lock.locks.<name>}. The shortest maximum hold has ended when a test looks at the
     * lock.
     */
    private enum OfName {
        NOTHING(null, NONE),
        WATCHDOG_TIMEOUT(Fact.WATCHDOG_TIMEOUT, Duration.ofSeconds(90)),
        LEASE(Fact.LEASE, Duration.ofSeconds(40)),
        MAX_HOLD(Fact.MAX_HOLD, Duration.ofMillis(1)),
        LONG_MAX_HOLD(Fact.MAX_HOLD, Duration.ofHours(1)),
        MIN_HOLD(Fact.MIN_HOLD, Duration.ofSeconds(30)),
        WAIT_TIME(Fact.WAIT_TIME, Duration.ofMillis(2));

        final @Nullable Fact fact;

        final Duration value;

        OfName(@Nullable Fact fact, Duration value) {
            this.fact = fact;
            this.value = value;
        }

        SettingsByName settings() {
            return new SettingsByName(List.of(new NamedSettings(
                    "job",
                    value(Fact.WAIT_TIME),
                    value(Fact.LEASE),
                    value(Fact.MAX_HOLD),
                    value(Fact.MIN_HOLD),
                    null,
                    value(Fact.WATCHDOG_TIMEOUT),
                    null)));
        }

        private @Nullable NamedValue<Duration> value(Fact wanted) {
            return this.fact == wanted ? new NamedValue<>("locks.job." + wanted, this.value) : null;
        }
    }

    /** Attributes of a request. */
    private enum OfRequest {
        NOTHING(null, NONE, request -> request),
        LEASE(Fact.LEASE, Duration.ofSeconds(35), request -> request.withLease(Duration.ofSeconds(35))),
        RENEWED(Fact.LEASE, NONE, request -> request.withLease(NONE)),
        MAX_HOLD(Fact.MAX_HOLD, Duration.ofMillis(1), request -> request.withMaxHold(Duration.ofMillis(1))),
        NO_MAX_HOLD(Fact.MAX_HOLD, NONE, request -> request.withMaxHold(NONE)),
        MIN_HOLD(Fact.MIN_HOLD, Duration.ofSeconds(20), request -> request.withMinHold(Duration.ofSeconds(20))),
        NO_MIN_HOLD(Fact.MIN_HOLD, Duration.ZERO, request -> request.withMinHold(Duration.ZERO)),
        WAIT_TIME(Fact.WAIT_TIME, Duration.ofMillis(1), request -> request.withWaitTime(Duration.ofMillis(1)));

        final @Nullable Fact fact;

        final Duration value;

        final UnaryOperator<LockRequest> change;

        OfRequest(@Nullable Fact fact, Duration value, UnaryOperator<LockRequest> change) {
            this.fact = fact;
            this.value = value;
            this.change = change;
        }
    }

    /** Modes of a request, and ways to acquire it. */
    private enum Way {
        THREAD,
        FUTURE,
        BODY,
        READER,
        PERMIT;

        LockRequest request(String lockName, OfRequest attribute) {
            LockRequest request = attribute.change.apply(LockRequest.of(lockName));
            return switch (this) {
                case READER -> request.withMode(LockMode.READ);
                case PERMIT -> request.withPermits(1, 1);
                case THREAD, FUTURE, BODY -> request;
            };
        }
    }

    /** Notes the commands of an acquisition. */
    private static final class Noting extends ForwardingStore {

        private final Queue<Command> commands = new ConcurrentLinkedQueue<>();

        Noting(LockStore store) {
            super(store);
        }

        <C extends Command> C last(Class<C> type) {
            return this.commands.stream()
                    .filter(type::isInstance)
                    .map(type::cast)
                    .reduce((one, next) -> next)
                    .orElseThrow(() -> new AssertionError("no command " + type.getSimpleName()));
        }

        @Override
        public Reply call(Command command) {
            this.commands.add(command);
            return super.call(command);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            this.commands.add(command);
            return super.send(command);
        }
    }

    private final InMemoryLockStore memory = new InMemoryLockStore();

    private final Noting store = new Noting(this.memory);

    private final SoftAssertions softly = new SoftAssertions();

    private LockSettings settings = COMMON;

    private LeasingLockRegistry registry;

    @AutoClose("stop")
    private final LeasingLockRegistry other =
            new LeasingLockRegistry(this.memory.forAnotherInstance(), COMMON, null, List.of());

    private void start(OfName name) {
        this.settings = COMMON.withNamed(name.settings());
        this.registry = new LeasingLockRegistry(this.store, this.settings, null, List.of());
    }

    @AfterEach
    void stop() {
        this.registry.stop();
    }

    static Stream<Arguments> pairs() {
        return Arrays.stream(OfName.values())
                .flatMap(name -> Arrays.stream(OfRequest.values()).map(request -> arguments(name, request)));
    }

    private static Map<Fact, Duration> expected(OfName name, OfRequest request) {
        Map<Fact, Duration> facts = new EnumMap<>(Fact.class);
        for (Fact fact : Fact.values()) {
            facts.put(fact, request.fact == fact ? request.value : name.fact == fact ? name.value : fact.common);
        }
        return facts;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldApplyTheRequestElseTheNameElseTheDefault(OfName name, OfRequest attribute) throws Exception {
        start(name);
        Map<Fact, Duration> expected = expected(name, attribute);

        for (Way way : Way.values()) {
            LockRequest request = way.request("job:" + way, attribute);
            Way obstacle = way == Way.PERMIT ? Way.PERMIT : Way.THREAD;
            try (Lease taken = this.other.acquire(obstacle.request(request.lockName(), OfRequest.NOTHING))) {
                assertWait(way, request, expected, taken);
            }
            if (way == Way.BODY) {
                this.registry.executeWithoutResult(request, lease -> assertHold(way, request, expected));
            } else {
                try (Lease lease =
                        way == Way.FUTURE ? get(this.registry.acquireAsync(request)) : this.registry.acquire(request)) {
                    assertHold(way, request, expected);
                }
            }
            assertCommand(way, this.store.last(Command.Acquire.class).leaseMillis(), expected);
            assertRelease(way, expected);
        }
        this.softly.assertAll();
    }

    private void assertWait(Way way, LockRequest request, Map<Fact, Duration> expected, Lease taken) {
        LockNotGrantedException refusal = catchThrowableOfType(LockNotGrantedException.class, () -> {
            switch (way) {
                case FUTURE -> get(this.registry.acquireAsync(request)).close();
                case BODY -> this.registry.executeWithoutResult(request, lease -> {});
                case THREAD, READER, PERMIT -> this.registry.acquire(request).close();
            }
        });
        this.softly
                .assertThat(refusal.waitTime())
                .as("wait time of %s for lock %s", way, taken.name())
                .isEqualTo(expected.get(Fact.WAIT_TIME));
    }

    private void assertHold(Object way, LockRequest request, Map<Fact, Duration> expected) {
        Duration fixed = expected.get(Fact.LEASE);
        Duration timeout = expected.get(Fact.WATCHDOG_TIMEOUT);
        Duration maxHold = expected.get(Fact.MAX_HOLD);
        boolean isFixed = !fixed.equals(NONE);
        boolean isLimited = !isFixed && !maxHold.equals(NONE);
        Terms terms = new LeaseTerms(this.settings).of(this.settings.complete(request));
        this.softly.assertThat(terms.lease()).as("lease of %s", way).isEqualTo((isFixed ? fixed : timeout).toNanos());
        this.softly
                .assertThat(terms.renewAfter())
                .as("time from one renewal to the next of %s", way)
                .isEqualTo(isFixed ? Moment.NEVER : timeout.toNanos() / 3);
        this.softly
                .assertThat(terms.maxHold())
                .as("maximum hold of %s", way)
                .isEqualTo(isLimited ? maxHold.toNanos() : Moment.NEVER);
        boolean isOver = isLimited && maxHold.toMillis() == 1;
        within(Duration.ofSeconds(2))
                .untilAsserted(
                        () -> assertThat(this.registry.held(request.lockName()).map(Held::renewed))
                                .as("whether the lease of %s is renewed", way)
                                .contains(!isFixed && !isOver));
    }

    private void assertCommand(Object way, long leaseMillis, Map<Fact, Duration> expected) {
        Duration fixed = expected.get(Fact.LEASE);
        this.softly
                .assertThat(leaseMillis)
                .as("lease in the command of %s", way)
                .isEqualTo((fixed.equals(NONE) ? expected.get(Fact.WATCHDOG_TIMEOUT) : fixed).toMillis());
    }

    private void assertRelease(Object way, Map<Fact, Duration> expected) {
        long minHold = expected.get(Fact.MIN_HOLD).toMillis();
        this.softly
                .assertThat(this.store.last(Command.Release.class).keepMillis())
                .as("milliseconds for which the lock of %s stays taken after its release", way)
                .isBetween(Math.max(0, minHold - 10_000), minHold);
    }

    /** The hold of a reader that outlives that of the writer has the settings of the name as well. */
    @ParameterizedTest
    @EnumSource
    void shouldApplyTheNameToADowngrade(OfName name) {
        start(name);
        Map<Fact, Duration> expected = expected(name, OfRequest.NOTHING);
        LockRequest reader = LockRequest.of("job:downgraded").withMode(LockMode.READ);
        LeaseReadWriteLock lock = this.registry.getReadWriteLock("job:downgraded");
        lock.writeLock().lock();
        lock.readLock().lock();

        lock.writeLock().unlock();

        assertCommand("a downgrade", this.store.last(Command.Downgrade.class).leaseMillis(), expected);
        assertHold("a downgrade", reader, expected);
        lock.readLock().unlock();
        assertRelease("a downgrade", expected);
        String writer = this.store.last(Command.Acquire.class).id();
        within(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(this.store.commands)
                        .as("release of the former writer, which is repeated if it asks for a minimum hold")
                        .anyMatch(command -> command instanceof Command.Release release
                                && release.id().equals(writer)
                                && release.keepMillis() == 0));
        this.softly.assertAll();
    }
}
