package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every step of a grant from every standing, and steps that race. */
class GrantStandingTest {

    private static Grant grant() {
        return new Grant(LockRequest.of("orders:42"), "id", 7, 0, new Turn(new LocalQueues(), "orders:42"), null);
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

    /** Losses, a release and flickering renewals at the same moment: one end, and it stands. */
    @Test
    void shouldEndInOneWayHoweverManyTry() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CyclicBarrier together = new CyclicBarrier(4);
        try {
            for (int round = 0; round < 5_000; round++) {
                Grant grant = grant(round % 2 == 0 ? Standing.HELD : Standing.AT_RISK);
                List<Callable<Boolean>> ends = List.of(
                        () -> grant.lose(LossReason.EXPIRED),
                        () -> grant.lose(LossReason.TAKEN_OVER),
                        grant::beginRelease,
                        () -> {
                            for (int flicker = 0; flicker < 10; flicker++) {
                                grant.atRisk();
                                grant.recover();
                            }
                            return false;
                        });
                List<Future<Boolean>> results = new ArrayList<>();
                for (Callable<Boolean> end : ends) {
                    results.add(threads.submit(() -> {
                        together.await(10, TimeUnit.SECONDS);
                        return end.call();
                    }));
                }
                List<Boolean> won = new ArrayList<>();
                for (Future<Boolean> result : results) {
                    won.add(result.get(10, TimeUnit.SECONDS));
                }

                assertThat(won).containsOnlyOnce(true);
                assertThat(grant.standing())
                        .isEqualTo(List.of(Standing.EXPIRED, Standing.TAKEN_OVER, Standing.RELEASING)
                                .get(won.indexOf(true)));
            }
        } finally {
            threads.shutdown();
        }
    }
}
