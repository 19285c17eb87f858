package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies in ordinary methods: they declare what the body throws, and nothing else. */
class LockRegistryTest {

    private static final LockRequest REQUEST = LockRequest.of("order", "42");

    private final LeasingLockRegistry locks =
            new LeasingLockRegistry(new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), null, List.of());

    private final LockRegistry registry = this.locks;

    private final List<Long> settled = new ArrayList<>();

    @AfterEach
    void stop() {
        assertThat(this.locks.active()).isZero();
        this.locks.stop();
    }

    @Test
    void shouldUseTheNameBesideAKeyForSettings() {
        NamedValue<Duration> lease = new NamedValue<>("locks.[app:order].lease", Duration.ofMinutes(5));
        LeasingLockRegistry named = new LeasingLockRegistry(
                new InMemoryLockStore(),
                LockSettings.of(Duration.ofSeconds(30))
                        .withNamed(new SettingsByName(
                                List.of(new NamedSettings("app:order", null, lease, null, null, null, null, null)))),
                null,
                List.of());
        try {
            for (LeaseLock lock : List.of(
                    named.getLock("app:order", "42"),
                    named.getReadWriteLock("app:order", "42").writeLock())) {
                assertThat(lock.tryLock()).isTrue();
                assertThat(lock.currentLease().name()).isEqualTo("app:order:42");
                assertThat(lock.currentLease().remaining()).isGreaterThan(Duration.ofMinutes(4));
                lock.unlock();
            }
            assertThat(named.getSemaphore("app:slots", "42", 3).name()).isEqualTo("app:slots:42");
            LeaseLock whole = named.getLock("app:order:42");
            assertThat(whole.tryLock()).isTrue();
            assertThat(whole.currentLease().remaining()).isLessThan(Duration.ofMinutes(4));
            whole.unlock();
        } finally {
            named.stop();
        }
    }

    /** The key would be empty, and the lock that of the name before the colon. */
    @Test
    void shouldNotSplitANameAtItsEnd() {
        LeaseLock lock = this.registry.getLock("order:");

        assertThat(lock.tryLock()).isTrue();
        assertThat(this.registry.getLock("order").isLocked()).isFalse();
        assertThat(this.registry
                        .getOwnedLock(LockRequest.of("order:"))
                        .currentLease()
                        .name())
                .isEqualTo("order:");
        lock.unlock();
    }

    @Test
    void shouldNeedNoThrowsForABodyThatThrowsNothing() {
        String id = this.registry.execute(REQUEST, lease -> lease.name());
        Object nothing = this.registry.execute(REQUEST, lease -> {
            settle(lease.fencingToken());
            return null;
        });
        this.registry.executeWithoutResult(REQUEST, lease -> settle(lease.fencingToken()));
        this.registry.executeWithoutResult(REQUEST, this::settleUnder);

        assertThat(id).isEqualTo("order:42");
        assertThat(nothing).isNull();
        assertThat(this.settled).hasSize(3).isSorted();
    }

    @Test
    void shouldThrowTheCheckedExceptionOfTheBody() {
        try {
            int unused = this.registry.execute(REQUEST, lease -> read(true));
            throw new AssertionError("not thrown");
        } catch (IOException ex) {
            assertThat(ex).isInstanceOf(FileNotFoundException.class);
        }
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> this.registry.executeWithoutResult(REQUEST, lease -> fail(lease, false)));
        assertThatThrownBy(this::throwAnything).isExactlyInstanceOf(Throwable.class);
    }

    @Test
    void shouldPassALeaseOnWithoutThrows() {
        this.registry.executeWithoutResult(REQUEST, lease -> {
            String name =
                    LeaseContext.call(lease, current -> LeaseContext.required().name());
            assertThat(name).isEqualTo("order:42");
        });
        assertThat(LeaseContext.current()).isEmpty();
    }

    @Test
    void shouldLimitTheNumberOfLocksOfACall() {
        assertThat(this.registry.<Integer, RuntimeException>execute(orders(256), lease -> this.locks.active()))
                .isEqualTo(256);
        assertThatThrownBy(() -> this.registry.execute(orders(257), lease -> null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("257");
    }

    private static List<LockRequest> orders(int different) {
        return IntStream.range(0, 512)
                .mapToObj(i -> LockRequest.of("order", "" + i % different))
                .toList();
    }

    private void settleUnder(Lease lease) {
        settle(lease.fencingToken());
    }

    private void settle(long token) {
        this.settled.add(token);
    }

    private static int read(boolean fails) throws IOException {
        if (fails) {
            throw new FileNotFoundException("orders");
        }
        return 0;
    }

    private static void fail(Lease lease, boolean slowly) throws IOException, TimeoutException {
        if (slowly) {
            throw new IOException(lease.name());
        }
        throw new TimeoutException(lease.name());
    }

    private void throwAnything() throws Throwable {
        this.registry.executeWithoutResult(REQUEST, lease -> {
            throw new Throwable(lease.name());
        });
    }
}
