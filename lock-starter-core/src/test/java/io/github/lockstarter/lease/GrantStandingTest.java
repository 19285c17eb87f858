package io.github.lockstarter.lease;

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
class GrantStandingTest {

    private static Grant grant() {
        return new Grant(LockRequest.of("orders:42"), "id", 7, 0, new Turn("orders:42", null), null);
    }

    /** A grant that stands there. */
    private static Grant grant(Standing standing) {
        Grant grant = grant();
        switch (standing) {
            case HELD -> {}
            case AT_RISK -> grant.atRisk();
            case RELEASING -> grant.beginRelease();
            case RELEASED -> {
                grant.beginRelease();
                grant.endRelease();
            }
            default -> grant.lose(reasonOf(standing));
        }
        assertThat(grant.standing()).isEqualTo(standing);
        return grant;
    }

    private static LossReason reasonOf(Standing standing) {
        return LossReason.valueOf(standing.name());
    }

    private static void shouldGo(boolean moved, Grant grant, boolean allowed, Standing from, Standing to) {
        assertThat(moved).isEqualTo(allowed);
        assertThat(grant.standing()).isEqualTo(allowed ? to : from);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeAtRiskOnlyWhenHeld(Standing from) {
        Grant grant = grant(from);

        shouldGo(grant.atRisk(), grant, from == Standing.HELD, from, Standing.AT_RISK);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRecoverOnlyWhenAtRisk(Standing from) {
        Grant grant = grant(from);

        shouldGo(grant.recover(), grant, from == Standing.AT_RISK, from, Standing.HELD);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeLostOnlyWhenLive(Standing from) {
        for (LossReason reason : LossReason.values()) {
            Grant grant = grant(from);
            boolean live = from == Standing.HELD || from == Standing.AT_RISK;

            shouldGo(grant.lose(reason), grant, live, from, Standing.valueOf(reason.name()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeReleasedOnlyWhenLive(Standing from) {
        Grant grant = grant(from);
        boolean live = from == Standing.HELD || from == Standing.AT_RISK;

        shouldGo(grant.beginRelease(), grant, live, from, Standing.RELEASING);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAReleaseThatHasBegun(Standing from) {
        Grant grant = grant(from);

        grant.endRelease();

        assertThat(grant.standing()).isEqualTo(from == Standing.RELEASING ? Standing.RELEASED : from);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeLostInAReleaseThatHasBegun(Standing from) {
        for (LossReason reason : LossReason.values()) {
            Grant grant = grant(from);

            shouldGo(
                    grant.loseInRelease(reason),
                    grant,
                    from == Standing.RELEASING,
                    from,
                    Standing.valueOf(reason.name()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayTheSameOfItsStateAndReason(Standing standing) {
        assertThat(standing.isLive())
                .isEqualTo(standing.state() == Lease.State.HELD || standing.state() == Lease.State.AT_RISK);
        assertThat(standing.lossReason() != null).isEqualTo(standing.state() == Lease.State.LOST);
    }

    @Test
    void shouldSettleOnce() {
        Grant grant = grant(Standing.EXPIRED);

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
                Standing otherEnd = round % 2 == 0 ? Standing.RELEASING : Standing.TAKEN_OVER;
                assertThat(lost[round]).isNotEqualTo(other[round]);
                assertThat(grants[round].standing()).isEqualTo(lost[round] ? Standing.EXPIRED : otherEnd);
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
