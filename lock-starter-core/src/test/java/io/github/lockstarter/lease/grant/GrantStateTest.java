package io.github.lockstarter.lease.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every step of a grant from every standing, and steps that race. */
class GrantStateTest {

    private static Grant grant() {
        return new Grant(LockRequest.of("orders:42"), "id", 7, 0, null);
    }

    /** A grant that stands there. */
    private static Grant grant(GrantState state) {
        Grant grant = grant();
        switch (state) {
            case HELD -> {}
            case AT_RISK -> grant.atRisk();
            case RELEASING -> grant.beginRelease();
            case RELEASED -> {
                grant.beginRelease();
                grant.endRelease();
            }
            default -> grant.lose(reasonOf(state));
        }
        assertThat(grant.state()).isEqualTo(state);
        return grant;
    }

    private static LossReason reasonOf(GrantState state) {
        return LossReason.valueOf(state.name());
    }

    private static void shouldGo(boolean moved, Grant grant, boolean allowed, GrantState from, GrantState to) {
        assertThat(moved).isEqualTo(allowed);
        assertThat(grant.state()).isEqualTo(allowed ? to : from);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeAtRiskOnlyWhenHeld(GrantState from) {
        Grant grant = grant(from);

        shouldGo(grant.atRisk(), grant, from == GrantState.HELD, from, GrantState.AT_RISK);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRecoverOnlyWhenAtRisk(GrantState from) {
        Grant grant = grant(from);

        shouldGo(grant.recover(), grant, from == GrantState.AT_RISK, from, GrantState.HELD);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeLostOnlyWhenLive(GrantState from) {
        for (LossReason reason : LossReason.values()) {
            Grant grant = grant(from);
            boolean live = from == GrantState.HELD || from == GrantState.AT_RISK;

            shouldGo(grant.lose(reason), grant, live, from, GrantState.valueOf(reason.name()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeReleasedOnlyWhenLive(GrantState from) {
        Grant grant = grant(from);
        boolean live = from == GrantState.HELD || from == GrantState.AT_RISK;

        shouldGo(grant.beginRelease(), grant, live, from, GrantState.RELEASING);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAReleaseThatHasBegun(GrantState from) {
        Grant grant = grant(from);

        grant.endRelease();

        assertThat(grant.state()).isEqualTo(from == GrantState.RELEASING ? GrantState.RELEASED : from);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeLostInAReleaseThatHasBegun(GrantState from) {
        for (LossReason reason : LossReason.values()) {
            Grant grant = grant(from);

            shouldGo(
                    grant.loseInRelease(reason),
                    grant,
                    from == GrantState.RELEASING,
                    from,
                    GrantState.valueOf(reason.name()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayTheSameOfItsStateAndReason(GrantState state) {
        assertThat(state.isLive())
                .isEqualTo(state.leaseState() == Lease.State.HELD || state.leaseState() == Lease.State.AT_RISK);
        assertThat(state.lossReason() != null).isEqualTo(state.leaseState() == Lease.State.LOST);
    }

    @Test
    void shouldSettleOnce() {
        Grant grant = grant(GrantState.EXPIRED);

        assertThat(grant.settle()).isTrue();
        assertThat(grant.settle()).isFalse();
    }

    /** A loss and a release, or two losses, in the same moment, while renewals fail and recover: one of them wins. */
    @Test
    void shouldEndInOneWayWhenTwoTry() throws Exception {
        int rounds = 100_000;
        Grant[] grants = new Grant[rounds];
        for (int round = 0; round < rounds; round++) {
            grants[round] = grant();
        }
        AtomicIntegerArray arrived = new AtomicIntegerArray(rounds);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<boolean[]> losses =
                    threads.submit(() -> race(grants, arrived, (grant, round) -> grant.lose(LossReason.EXPIRED)));
            Future<boolean[]> others = threads.submit(() -> race(grants, arrived, (grant, round) -> {
                grant.atRisk();
                grant.recover();
                return round % 2 == 0 ? grant.beginRelease() : grant.lose(LossReason.TAKEN_OVER);
            }));
            boolean[] lost = losses.get(60, TimeUnit.SECONDS);
            boolean[] other = others.get(60, TimeUnit.SECONDS);

            for (int round = 0; round < rounds; round++) {
                GrantState otherEnd = round % 2 == 0 ? GrantState.RELEASING : GrantState.TAKEN_OVER;
                assertThat(lost[round]).isNotEqualTo(other[round]);
                assertThat(grants[round].state()).isEqualTo(lost[round] ? GrantState.EXPIRED : otherEnd);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Ends each grant when the other thread has come to it, too. */
    private static boolean[] race(Grant[] grants, AtomicIntegerArray arrived, BiPredicate<Grant, Integer> end) {
        boolean[] won = new boolean[grants.length];
        for (int round = 0; round < grants.length; round++) {
            arrived.incrementAndGet(round);
            for (int spin = 0; arrived.get(round) < 2; spin++) {
                if (spin > 10_000) {
                    LockSupport.parkNanos(1_000);
                }
            }
            won[round] = end.test(grants[round], round);
        }
        return won;
    }
}
