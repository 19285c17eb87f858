package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Renewals that fail, hang, or come back too late. */
class RenewalTroubleTest extends PuppetRegistry {

    private final Gate gate = new Gate();

    private final List<Object> heard = new CopyOnWriteArrayList<>();

    private final LockListener listener = new LockListener() {
        @Override
        public void atRisk(LockAtRiskEvent event) {
            RenewalTroubleTest.this.heard.add(event);
        }

        @Override
        public void recovered(LockRecoveredEvent event) {
            RenewalTroubleTest.this.heard.add(event);
        }

        @Override
        public void lost(LockLostEvent event) {
            RenewalTroubleTest.this.heard.add(event);
        }
    };

    @AfterEach
    void open() {
        this.gate.open();
    }

    private void failRenewals() {
        store().onRenew((renewals, real) -> {
            throw Failures.unanswered();
        });
    }

    private <E> E heard(int index, Class<E> type) {
        eventually().until(() -> this.heard.size() > index);
        return type.cast(this.heard.get(index));
    }

    @Test
    void shouldBeAtRiskAtTheFirstFailureAndSafeAgainAtTheNextSuccess() throws Exception {
        Lease lease = registry(this.listener).acquire(request());
        failRenewals();

        LockAtRiskEvent atRisk = heard(0, LockAtRiskEvent.class);
        assertThat(atRisk.cause()).hasMessage("unanswered");
        assertThat(atRisk.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(atRisk.remaining()).isBetween(Duration.ofMillis(1), Duration.ofMillis(900));
        assertThat(lease.state()).isEqualTo(Lease.State.AT_RISK);
        assertThat(lease.isHeld()).isTrue();
        lease.ensureHeld();
        store().onRenew((renewals, real) -> real.run());

        assertThat(heard(1, LockRecoveredEvent.class).remaining()).isGreaterThan(Duration.ofMillis(300));
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        throughout(TIMEOUT).until(() -> lease.state() == Lease.State.HELD);
        assertThat(lease.release()).isTrue();
        assertThat(this.heard).hasSize(2);
    }

    @Test
    void shouldTryUntilTheDeadlineAndThenBeLost() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        failRenewals();
        long start = System.nanoTime();
        Lease lease = registry.acquire(request());

        assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(899));
        // the first after a quarter, then again and again, but not in a hurry
        assertThat(store().renewals()).isBetween(4, 20);
        assertThat(heard(0, LockAtRiskEvent.class).name()).isEqualTo("orders");
        assertThat(heard(1, LockLostEvent.class).reason()).isEqualTo(LossReason.EXPIRED);
        int renewals = store().renewals();
        throughout(Duration.ofMillis(400)).until(() -> store().renewals() == renewals);
        assertThat(lease.release()).isFalse();
    }

    @Test
    void shouldBeLostInTimeWhenTheStoreNeverAnswers() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        Lease lease = registry.acquire(request());
        store().onRenew((renewals, real) -> this.gate.pass());

        assertThat(heard(0, LockAtRiskEvent.class).cause()).isNull();
        assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        this.gate.open();
        assertThat(lease.release()).isFalse();
    }

    @Test
    void shouldSurviveAnErrorOfTheStore() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        Lease lease = registry.acquire(request());
        store().onRenew((renewals, real) -> {
            throw new StackOverflowError("broken");
        });
        assertThat(heard(0, LockAtRiskEvent.class).cause()).hasRootCauseInstanceOf(StackOverflowError.class);

        store().onRenew((renewals, real) -> real.run());

        assertThat(heard(1, LockRecoveredEvent.class).name()).isEqualTo("orders");
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldCostNobodyElseTheirRenewal() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        store().onRenew((renewals, real) -> {
            // the bad one is never answered, the others are in the same batch
            List<? extends Renewal> good = renewals.stream()
                    .filter(renewal -> !renewal.lockName().equals("bad"))
                    .toList();
            if (good.size() == renewals.size()) {
                real.run();
            } else {
                good.forEach(renewal -> renewal.renewed());
            }
        });
        Lease bad = registry.acquire(LockRequest.of("bad"));
        List<Lease> good =
                List.of(registry.acquire(LockRequest.of("good:1")), registry.acquire(LockRequest.of("good:2")));

        assertThat(bad.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        assertThat(good).allMatch(lease -> lease.state() == Lease.State.HELD);
        good.forEach(Lease::close);
        heard(1, LockLostEvent.class);
        assertThat(this.heard).hasSize(2).extracting("name").containsOnly("bad");
        assertThat(bad.release()).isFalse();
    }

    @Test
    void shouldNotComeBackToLifeByALateAnswer() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        Lease lease = registry.acquire(request());
        store().onRenew((renewals, real) -> {
            this.gate.pass();
            renewals.forEach(Renewal::renewed);
        });
        assertThat(lease.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        this.gate.open();

        throughout(Duration.ofMillis(300)).until(() -> lease.state() == Lease.State.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(heard(1, LockLostEvent.class).reason()).isEqualTo(LossReason.EXPIRED);
        assertThat(this.heard).hasSize(2);
    }

    @Test
    void shouldBeLostWhenTheMachineWasSuspended() throws Exception {
        ShiftedClock clock = new ShiftedClock();
        LeasingLockRegistry registry = registry(settings(TIMEOUT, Duration.ZERO), clock, this.listener);
        Lease lease = registry.acquire(request());
        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();

        clock.shift(Duration.ofSeconds(1));

        assertThat(lease.isHeld()).isFalse();
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        Lease next = registry.acquire(LockRequest.of("orders:43"));
        clock.shift(Duration.ofSeconds(1));
        assertThat(next.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
    }
}
