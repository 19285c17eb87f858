package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A nested hold that needs a longer lease: it is entered when the store has said so, and not before. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
class LengtheningTest extends PuppetRegistry {

    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void end() {
        this.later.shutdownNow();
        Thread.interrupted();
    }

    /** As a cluster answers: on another thread, and after the call has returned. */
    private void answerLater() {
        store().onRenew((renewals, real) -> later(real));
    }

    private void later(Runnable answer) {
        ScheduledFuture<?> unused = this.later.schedule(answer, 100, TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldWaitForAnAnswerThatComesLater() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        answerLater();

        lock.lock(LONG);

        assertThat(lock.currentLease().remaining()).isGreaterThan(Duration.ofSeconds(30));
        lock.unlock();
        lock.unlock();
    }

    @Test
    void shouldNotBeEnteredWhenALaterAnswerSaysThatTheLockIsGone() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        store().forceRelease(NAME);
        answerLater();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> lock.lock(LONG))
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.DELETED));

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldNotBeEnteredWhenALaterAnswerIsAFailure() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        store().onRenew((renewals, real) -> later(() -> renewals.forEach(one -> one.failed(Failures.unanswered()))));

        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock.lock(LONG));

        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void shouldNotBeEnteredWhenTheStoreDoesNotAnswer() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        store().onRenew((renewals, real) -> {
            throw Failures.unanswered();
        });

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> lock.tryLock(Duration.ZERO, LONG))
                .withMessageContainingAll(NAME, "unanswered")
                .satisfies(ex -> assertThat(ex.isOutcomeUnknown()).isTrue());

        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldAskAgainWhenAnInterruptEndedTheCommand() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(Duration.ofSeconds(5));
        AtomicInteger asked = new AtomicInteger();
        store().onRenew((renewals, real) -> {
            if (asked.incrementAndGet() == 1) {
                Thread.currentThread().interrupt();
                throw Failures.unanswered();
            }
            real.run();
        });

        lock.lock(LONG);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(asked).hasValue(2);
        assertThat(lock.currentLease().remaining()).isGreaterThan(Duration.ofSeconds(30));
        lock.unlock();
        lock.unlock();
    }

    @Test
    void shouldAskForNoMoreThanIsNeeded() {
        LeaseLock lock = registry().getLock(NAME);
        lock.lock(LONG);
        store().onRenew((renewals, real) -> {
            throw new AssertionError(
                    "asked for " + renewals.stream().map(Renewal::lockName).toList());
        });

        lock.lock(Duration.ofSeconds(1));
        lock.lock();
        for (Runnable end : List.<Runnable>of(lock::unlock, lock::unlock, lock::unlock)) {
            end.run();
        }

        assertThat(store().isLocked(NAME)).isFalse();
    }
}
