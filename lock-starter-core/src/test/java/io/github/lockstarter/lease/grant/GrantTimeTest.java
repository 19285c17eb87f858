package io.github.lockstarter.lease.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.HandClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For how long a grant may be believed in. */
class GrantTimeTest {

    private static final Duration MILLI = Duration.ofMillis(1);

    private final HandClock clock = new HandClock();

    private final Grant grant = grant();

    private static Grant grant() {
        return new Grant(LockRequest.of("orders:42"), "id", 7, 0, Thread.currentThread());
    }

    private void extend(Duration lease) {
        this.grant.extend(this.clock.nanoTime(), this.clock.currentTimeMillis(), lease.toMillis());
    }

    private Duration remaining() {
        return Duration.ofNanos(this.grant.remaining(this.clock));
    }

    @ParameterizedTest
    @CsvSource({"10, 2", "20, 2", "30, 3", "1000, 100", "30000, 3000"})
    void shouldEndATenthEarlyButAtLeastTwoMillis(long lease, long margin) {
        extend(Duration.ofMillis(lease));

        this.clock.pass(Duration.ofMillis(lease - margin).minus(MILLI));
        assertThat(this.grant.hasEnded(this.clock)).isFalse();
        assertThat(remaining()).isPositive().isLessThanOrEqualTo(MILLI);
        this.clock.pass(MILLI);

        assertThat(this.grant.hasEnded(this.clock)).isTrue();
        assertThat(remaining()).isLessThanOrEqualTo(Duration.ZERO);
    }

    /** The shortest lease that a request takes must not be over before it has begun. */
    @Test
    void shouldLeaveSomethingOfTheShortestLease() {
        extend(shortestLease());

        assertThat(this.grant.hasEnded(this.clock)).isFalse();
    }

    private static Duration shortestLease() {
        for (int millis = 1; ; millis++) {
            try {
                return LockRequest.of("orders:42")
                        .withLease(Duration.ofMillis(millis))
                        .lease();
            } catch (IllegalArgumentException ex) {
                assertThat(millis).isLessThan(20);
            }
        }
    }

    @Test
    void shouldCountFromTheMomentOfSending() {
        long sentAt = this.clock.nanoTime();
        long sentAtWall = this.clock.currentTimeMillis();
        this.clock.pass(Duration.ofMillis(800));

        this.grant.extend(sentAt, sentAtWall, 1000);

        assertThat(remaining()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void shouldEndByTheWallClockWhenTheMachineWasSuspended() {
        extend(Duration.ofSeconds(1));

        this.clock.passSuspended(Duration.ofMillis(899));
        assertThat(this.grant.hasEnded(this.clock)).isFalse();
        assertThat(remaining()).isEqualTo(MILLI);
        this.clock.passSuspended(MILLI);

        assertThat(this.grant.hasEnded(this.clock)).isTrue();
    }

    @Test
    void shouldNotLiveLongerWhenTheWallClockIsSetBack() {
        extend(Duration.ofSeconds(1));

        this.clock.setWall(Duration.ofHours(-1));
        this.clock.pass(Duration.ofMillis(900));

        assertThat(this.grant.hasEnded(this.clock)).isTrue();
    }

    @Test
    void shouldBeCountedAnewAfterARenewal() {
        extend(Duration.ofSeconds(1));
        this.clock.setWall(Duration.ofHours(-1));
        this.clock.pass(Duration.ofMillis(500));

        extend(Duration.ofSeconds(1));

        assertThat(remaining()).isEqualTo(Duration.ofMillis(900));
        this.clock.passSuspended(Duration.ofMillis(900));
        assertThat(this.grant.hasEnded(this.clock)).isTrue();
    }

    @Test
    void shouldNotBeShortenedByARenewal() {
        extend(Duration.ofSeconds(60));
        this.clock.pass(Duration.ofSeconds(10));

        extend(Duration.ofSeconds(1));

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(44));
        this.clock.passSuspended(Duration.ofSeconds(44));
        assertThat(this.grant.hasEnded(this.clock)).isTrue();
    }

    @Test
    void shouldNotBeShortenedByTheLateReplyToAnEarlierCommand() {
        long sentAt = this.clock.nanoTime();
        long sentAtWall = this.clock.currentTimeMillis();
        this.clock.pass(MILLI);
        extend(Duration.ofSeconds(60));

        this.grant.extend(sentAt, sentAtWall, 1000);

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(54));
    }

    @Test
    void shouldNotGainTimeByTheLateReplyToACommandBeforeTheWallClockWasSetBack() {
        long sentAt = this.clock.nanoTime();
        long sentAtWall = this.clock.currentTimeMillis();
        this.clock.setWall(Duration.ofHours(-1));
        this.clock.pass(MILLI);
        extend(Duration.ofSeconds(1));

        this.grant.extend(sentAt, sentAtWall, 1000);

        this.clock.passSuspended(Duration.ofMillis(900));
        assertThat(this.grant.hasEnded(this.clock)).isTrue();
    }

    @Test
    void shouldBeLengthenedByALongerLease() {
        extend(Duration.ofSeconds(1));
        this.clock.pass(Duration.ofMillis(500));

        extend(Duration.ofSeconds(60));

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(54));
    }

    /** What a longer lease has left is less than the clock says that stood still meanwhile. */
    @Test
    void shouldNotGainTimeByASuspensionBeforeARenewal() {
        extend(Duration.ofSeconds(60));
        this.clock.passSuspended(Duration.ofSeconds(50));
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(4));

        extend(Duration.ofSeconds(1));

        // in the store ten seconds are left
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void shouldKnowUntilWhenItIsRenewed() {
        long now = this.clock.nanoTime();
        assertThat(this.grant.wantsRenewal(now)).isFalse();

        this.grant.setRenewUntil(Grant.UNCAPPED);
        assertThat(this.grant.wantsRenewal(now)).isTrue();
        this.grant.setRenewUntil(now + 10);
        assertThat(this.grant.wantsRenewal(now)).isTrue();
        assertThat(this.grant.wantsRenewal(now + 9)).isTrue();
        assertThat(this.grant.wantsRenewal(now + 10)).isFalse();
        this.grant.setRenewUntil(Grant.NOT_RENEWED);
        assertThat(this.grant.wantsRenewal(now)).isFalse();
    }

    @Test
    void shouldKnowWhyItEnds() {
        long now = this.clock.nanoTime();
        assertThat(this.grant.reasonOfEnd(now)).isEqualTo(LossReason.EXPIRED);

        this.grant.setRenewUntil(Grant.UNCAPPED);
        assertThat(this.grant.reasonOfEnd(now)).isEqualTo(LossReason.EXPIRED);
        this.grant.setRenewUntil(now + 10);
        assertThat(this.grant.reasonOfEnd(now)).isEqualTo(LossReason.EXPIRED);
        assertThat(this.grant.reasonOfEnd(now + 10)).isEqualTo(LossReason.MAX_HOLD);
        this.grant.abandon();

        assertThat(this.grant.reasonOfEnd(now)).isEqualTo(LossReason.OWNER_DIED);
        assertThat(this.grant.wantsRenewal(now)).isFalse();
    }
}
