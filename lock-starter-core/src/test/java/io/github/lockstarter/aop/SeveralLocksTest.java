package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockNotGrantedException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A call that acquires more than one lock acquires all of them or none. */
class SeveralLocksTest {

    @Test
    void shouldAcquireOneLockForEachKeySortedByName() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            context.getBean(Transfers.class).move(List.of("c", "a", "b", "a"));

            assertThat(context.registry.events)
                    .containsExactly(
                            "lock account:a",
                            "lock account:b",
                            "lock account:c",
                            "unlock account:c",
                            "unlock account:b",
                            "unlock account:a");
        }
    }

    @Test
    void shouldAcquireTheLocksOfAListInTheKey() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            context.getBean(Transfers.class).transfer("b", "a");

            assertThat(context.registry.events)
                    .containsExactly("lock account:a", "lock account:b", "unlock account:b", "unlock account:a");
        }
    }

    @Test
    void shouldAcquireTheLocksOfTheListThatIsChosen() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            Transfers transfers = context.getBean(Transfers.class);

            transfers.book("a", "b", true);
            transfers.book("a", "b", false);

            assertThat(context.registry.events.stream().filter(event -> event.startsWith("lock")))
                    .containsExactly("lock account:a", "lock account:b", "lock account:a");
        }
    }

    @Test
    void shouldAcquireTheLocksOfAllAnnotations() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            context.getBean(Transfers.class).ship("7");

            assertThat(context.registry.events)
                    .containsExactly("lock order:7", "lock stock", "unlock stock", "unlock order:7");
        }
    }

    @Test
    void shouldRejectAnEmptyCollectionAndInvalidElements() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            Transfers transfers = context.getBean(Transfers.class);

            assertThatThrownBy(() -> transfers.move(List.of()))
                    .isInstanceOf(InvalidLockKeyException.class)
                    .hasMessageContaining("is an empty collection");
            assertThatThrownBy(() -> transfers.move(List.of("a", " ")))
                    .isInstanceOf(InvalidLockKeyException.class)
                    .hasMessageContaining("gave several keys, of which number 2 of 2 is blank");
            assertThatThrownBy(() -> transfers.transfer("a", null))
                    .isInstanceOf(InvalidLockKeyException.class)
                    .hasMessageContaining("Key \"{#from, #to}\" of " + Transfers.class.getName()
                            + ".transfer(String, String) gave several keys, of which number 2 of 2 is null: ");
            assertThatThrownBy(() -> transfers.move(null))
                    .hasMessageContaining(".move(Collection) is null: all calls without a value");
            assertThat(context.registry.events).isEmpty();
        }
    }

    @Test
    void shouldRejectMoreLocksThanTheMaximum() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            Transfers transfers = context.getBean(Transfers.class);

            transfers.move(accounts(256));
            assertThat(context.registry.requests).hasSize(256);

            assertThatThrownBy(() -> transfers.move(accounts(257)))
                    .isInstanceOf(InvalidLockKeyException.class)
                    .hasMessageContaining("257 locks, such as 'account', which exceeds the maximum of 256");
            assertThat(context.registry.requests).hasSize(256);
        }
    }

    @Test
    void shouldReleaseAllIfOneIsNotGranted() {
        try (RealLocks app = RealLocks.with(Transfers.class)) {
            app.takenByAnother("account:b", () -> {
                long began = System.nanoTime();

                assertThatThrownBy(() -> app.bean(Transfers.class).move(List.of("a", "b", "c")))
                        .isInstanceOf(LockNotGrantedException.class)
                        .hasMessageContaining("'account:b'");

                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("waited for")
                        .isGreaterThan(Duration.ofMillis(250));
                assertThat(app.isLocked("account:a")).isFalse();
                assertThat(app.isLocked("account:c")).isFalse();
            });
        }
    }

    @Test
    void shouldNotDeadlock() throws Exception {
        try (RealLocks app = RealLocks.with(Transfers.class)) {
            Transfers transfers = app.bean(Transfers.class);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try {
                Future<?> one = threads.submit(() -> repeat(() -> transfers.count(List.of("a", "b"))));
                Future<?> two = threads.submit(() -> repeat(() -> transfers.count(Set.of("b", "a"))));
                one.get(30, TimeUnit.SECONDS);
                two.get(30, TimeUnit.SECONDS);
            } finally {
                threads.shutdownNow();
            }

            assertThat(transfers.counted()).isEqualTo(400);
        }
    }

    private static List<String> accounts(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    private static void repeat(Runnable task) {
        for (int i = 0; i < 200; i++) {
            task.run();
        }
    }

    static class Transfers {

        private int counted;

        int counted() {
            return this.counted;
        }

        @DistributedLock(name = "account", key = "#accounts", waitTime = 300)
        public void move(Collection<String> accounts) {}

        @DistributedLock(name = "account", key = "#accounts")
        public void count(Collection<String> accounts) {
            this.counted++;
        }

        @DistributedLock(name = "account", key = "{#from, #to}")
        public void transfer(String from, String to) {}

        @DistributedLock(name = "account", key = "#both ? {#from, #to} : {#from}")
        public void book(String from, String to, boolean both) {}

        @DistributedLock(name = "stock")
        @DistributedLock(name = "order", key = "#order")
        public void ship(String order) {}
    }
}
