package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A body that is interrupted when its lease is lost, and only then. */
abstract class ExecuteInterruptContract extends RegistryFixture {

    private static final LockRequest INTERRUPTED =
            LockRequest.of(NAME).withOnLost(OnLost.INTERRUPT).withLease(Duration.ofMillis(200));

    ExecuteInterruptContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldInterruptTheBodyOnce() throws Exception {
        LeasingLockRegistry registry = registry();
        Actor owner = actor();

        CompletableFuture<Boolean> again = owner.start(() -> {
            boolean[] flag = new boolean[1];
            Throwable loss = catchThrowable(() -> registry.execute(INTERRUPTED, lease -> {
                assertThatExceptionOfType(InterruptedException.class)
                        .isThrownBy(() -> new CountDownLatch(1).await(20, TimeUnit.SECONDS));
                assertThat(lease.isHeld()).isFalse();
                assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
                flag[0] = flagWithin(Duration.ofMillis(300));
                return true;
            }));
            assertThat(loss).isInstanceOf(LockLostException.class);
            return flag[0] || Thread.interrupted();
        });

        assertThat(get(again)).isFalse();
    }

    private static boolean flagWithin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        return Thread.currentThread().isInterrupted();
    }

    @Test
    void shouldThrowTheInterruptOfTheBodyWithTheLossSuppressed() throws Exception {
        LeasingLockRegistry registry = registry();
        Actor owner = actor();

        Throwable thrown = owner.ask(() -> catchThrowable(() -> registry.execute(INTERRUPTED, lease -> {
            new CountDownLatch(1).await();
            return true;
        })));

        assertThat(thrown).isInstanceOf(InterruptedException.class);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void shouldNotInterruptUnlessAsked() throws Exception {
        LeasingLockRegistry registry = registry();

        boolean flag = actor().ask(() -> {
            boolean[] during = new boolean[1];
            Throwable loss = catchThrowable(() -> registry.execute(INTERRUPTED.withOnLost(OnLost.THROW), lease -> {
                soon().until(() -> !lease.isHeld());
                during[0] = flagWithin(Duration.ofMillis(200));
                return true;
            }));
            assertThat(loss).isInstanceOf(LockLostException.class);
            return during[0] || Thread.interrupted();
        });

        assertThat(flag).isFalse();
    }

    /** Bodies that end about when their lease does: sometimes it is lost in time, but the flag is clean afterwards. */
    @Test
    void shouldNeverInterruptAfterTheBodyHasEnded() throws Exception {
        LeasingLockRegistry registry = registry();
        Actor owner = actor();
        int lost = 0;
        int kept = 0;
        for (int round = 0; round < 150; round++) {
            LockRequest request = INTERRUPTED.withLease(Duration.ofMillis(20));
            Throwable thrown = owner.ask(() -> {
                Throwable end = catchThrowable(() -> registry.execute(request, lease -> {
                    // asking for its state would be noticing the loss: look at the clock instead
                    long left = lease.remaining().toNanos() + jitter();
                    flagWithin(Duration.ofNanos(Math.max(0, left)));
                    return true;
                }));
                assertThat(flagWithin(Duration.ofMillis(1))).as("interrupted").isFalse();
                return end;
            });
            if (thrown == null) {
                kept++;
            } else {
                assertThat(thrown).isInstanceOf(LockLostException.class);
                lost++;
            }
        }

        assertThat(lost).isPositive();
        assertThat(kept).isPositive();
    }

    private static long jitter() {
        return ThreadLocalRandom.current().nextLong(-1_000_000, 1_000_000);
    }
}
