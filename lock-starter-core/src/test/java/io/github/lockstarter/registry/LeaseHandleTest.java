package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases as time passes, by a clock of the test. */
@Timeout(30)
class LeaseHandleTest {

    private volatile Duration passed = Duration.ZERO;

    private final LeaseClock clock = new LeaseClock() {

        @Override
        public long nanoTime() {
            return System.nanoTime() + LeaseHandleTest.this.passed.toNanos();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis() + LeaseHandleTest.this.passed.toMillis();
        }
    };

    @AutoClose("stop")
    private final LeasingLockRegistry registry = new LeasingLockRegistry(
            new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), null, List.of(), null, this.clock);

    /** Otherwise work that asks before each step would go on for ever. */
    @Test
    void shouldNotExtendAFixedLeaseThatIsAskedForItsRest() throws Exception {
        Lease lease = this.registry.acquire(LockRequest.of("fixed").withLease(Duration.ofSeconds(100)));
        this.passed = Duration.ofSeconds(50);

        assertThatExceptionOfType(LockLostException.class)
                .as("a requirement of more than is left")
                .isThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(60)));

        assertThat(lease.remaining())
                .as("rest of a lease of 100 seconds after 50 seconds")
                .isLessThanOrEqualTo(Duration.ofSeconds(50));
        assertThat(lease.release()).as("the lease was held").isTrue();
    }

    @Test
    void shouldKeepAnInterruptOfAnotherOriginThoughTheLossInterruptsTheBody() {
        LockRequest request =
                LockRequest.of("body").withLease(Duration.ofSeconds(10)).withOnLost(OnLost.INTERRUPT);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> this.registry.execute(request, lease -> {
                    Thread.currentThread().interrupt();
                    this.passed = Duration.ofSeconds(20);
                    assertThat(lease.isHeld()).as("the lease after its end").isFalse();
                    return null;
                }));

        assertThat(Thread.interrupted())
                .as("interrupt of the body that was there before the loss")
                .isTrue();
    }

    /** The reply of the store is late, or never arrives. */
    @Test
    void shouldReportAReleaseInTheBackgroundAsTheEndOfALeaseThatWasHeld() throws Exception {
        CompletableFuture<Reply> never = new CompletableFuture<>();
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public CompletionStage<Reply> send(Command command) {
                return command instanceof Command.Release ? never : super.send(command);
            }
        };
        LeasingLockRegistry background = new LeasingLockRegistry(
                store,
                settings(Duration.ZERO).withReleaseMode(ReleaseMode.BACKGROUND),
                null,
                List.of(),
                null,
                this.clock);
        try {
            Lease lease = background.acquire(LockRequest.of("sent"));

            assertThat(lease.release())
                    .as("release of a lease that was held, before the reply of the store")
                    .isTrue();
        } finally {
            never.complete(Reply.Released.INSTANCE);
            background.stop();
        }
    }

    private static LockSettings settings(Duration shutdownTimeout) {
        return LockSettings.of(
                Duration.ofSeconds(10), OnLost.THROW, Duration.ofSeconds(30), null, null, null, null, shutdownTimeout);
    }

    @Test
    void shouldNotReportALeaseAsExtendedThatIsReleasedMeanwhile() throws Exception {
        AtomicReference<Lease> extended = new AtomicReference<>();
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public Reply call(Command command) {
                Reply reply = super.call(command);
                if (command instanceof Command.Renew) {
                    boolean unused = extended.get().release();
                }
                return reply;
            }
        };
        LeasingLockRegistry own =
                new LeasingLockRegistry(store, settings(Duration.ZERO), null, List.of(), null, this.clock);
        try {
            Lease lease = own.acquire(LockRequest.of("extended").withLease(Duration.ofSeconds(10)));
            extended.set(lease);

            assertThatIllegalStateException()
                    .as("extension of a lease that is released during it")
                    .isThrownBy(() -> lease.extend(Duration.ofMinutes(1)))
                    .withMessageContaining("released");
        } finally {
            own.stop();
        }
    }

    @Test
    void shouldReportWhyALeaseWasNotExtended() throws Exception {
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public Reply call(Command command) {
                if (command instanceof Command.Renew) {
                    throw new LockStoreException("The store is loading.", null, false, true);
                }
                return super.call(command);
            }
        };
        LeasingLockRegistry own =
                new LeasingLockRegistry(store, settings(Duration.ZERO), null, List.of(), null, this.clock);
        try {
            Lease lease = own.acquire(LockRequest.of("rejected").withLease(Duration.ofSeconds(10)));

            LockStoreException failure =
                    catchThrowableOfType(LockStoreException.class, () -> lease.extend(Duration.ofMinutes(1)));

            assertThat(failure)
                    .as("failure of an extension")
                    .hasMessageContainingAll("'rejected'", "unchanged", "The store is loading.");
            assertThat(failure.isOutcomeUnknown())
                    .as("whether the outcome of a rejected extension is unknown")
                    .isFalse();
            assertThat(failure.isTransient())
                    .as("whether an extension may succeed later")
                    .isTrue();
        } finally {
            own.stop();
        }
    }
}
