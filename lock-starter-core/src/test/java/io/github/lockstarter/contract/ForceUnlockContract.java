package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Asking the store, taking a lock away from its owner, and how the owner learns of it. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ForceUnlockContract extends RegistryFixture {

    ForceUnlockContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldSeeWhetherAnybodyHasTheLock() {
        LeaseLock here = registry().getLock(NAME);
        LeaseLock there = registry().getLock(NAME);

        assertThat(there.isLocked()).isFalse();
        here.lock();
        assertThat(there.isLocked()).isTrue();
        assertThat(here.isLocked()).isTrue();
        here.unlock();
        assertThat(there.isLocked()).isFalse();
    }

    @Test
    void shouldSayWhetherThereWasALockToTakeAway() {
        LeaseLock here = registry(settings(LONG)).getLock(NAME);
        LeaseLock there = registry().getLock(NAME);

        assertThat(there.forceUnlock()).isFalse();
        here.lock();
        assertThat(there.forceUnlock()).isTrue();
        assertThat(there.forceUnlock()).isFalse();
        assertThat(there.isLocked()).isFalse();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
    }

    @Test
    void shouldTellTheOwnerAtItsNextRenewalThatTheLockIsGone() throws Exception {
        LeaseLock here = registry(settings(TIMEOUT.multipliedBy(8))).getLock(NAME);
        here.lock();
        CompletableFuture<LossReason> lost = here.currentLease().lost().toCompletableFuture();

        long start = System.nanoTime();
        assertThat(registry().getLock(NAME).forceUnlock()).isTrue();

        assertThat(get(lost)).isEqualTo(LossReason.DELETED);
        // renewal comes after two seconds, the lease would have gone on for seven
        assertThat(System.nanoTime() - start).isLessThan(TIMEOUT.multipliedBy(5).toNanos());
        assertThat(here.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
    }

    @Test
    void shouldReportTheLossAtTheOutermostHoldOnly() {
        LeaseLock here = registry().getLock(NAME);
        here.lock();
        here.lock();
        here.lock();
        long token = here.currentLease().fencingToken();
        registry().getLock(NAME).forceUnlock();
        soon().until(() -> !here.isHeldByCurrentThread());

        here.unlock();
        here.unlock();

        assertThat(here.getHoldCount()).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(here::unlock)
                .withMessageContainingAll(NAME, String.valueOf(token))
                .satisfies(ex -> {
                    assertThat(ex.lockName()).isEqualTo(NAME);
                    assertThat(ex.fencingToken()).isEqualTo(token);
                    assertThat(ex.reason()).isEqualTo(LossReason.DELETED);
                });
        assertThat(here.getHoldCount()).isZero();
        assertThat(here.tryLock()).isTrue();
        assertThat(here.currentLease().fencingToken()).isGreaterThan(token);
        here.unlock();
    }

    @Test
    void shouldWakeThoseWhoWait() throws Exception {
        LeaseLock here = registry(withoutPolling(LONG)).getLock(NAME);
        LeasingLockRegistry there = registry(withoutPolling(LONG));
        here.lock();
        CompletableFuture<Boolean> waited = actor().start(() -> {
            boolean mine = there.getLock(NAME).tryLock(LONG);
            there.getLock(NAME).unlock();
            return mine;
        });
        awaitWaiting(there, 1);

        assertThat(here.forceUnlock()).isTrue();

        assertThat(get(waited)).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::unlock);
    }
}
