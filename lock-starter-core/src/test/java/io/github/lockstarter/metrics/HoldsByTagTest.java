package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often all leases are visited for the gauges. */
class HoldsByTagTest {

    private long now = -17;

    private long passNanos;

    private int passes;

    private final HoldsByTag holds = new HoldsByTag(new LockTags("meters"), () -> this.now);

    HoldsByTagTest() {
        this.holds.setLeases(visitor -> {
            this.passes++;
            visitor.accept("orders", this.passes);
            this.now += this.passNanos;
        });
    }

    private void scrape() {
        for (int name = 0; name < 200; name++) {
            assertThat(this.holds.of("lock-" + name).count).isZero();
        }
    }

    @Test
    void shouldVisitTheLeasesOnceForAllGauges() {
        this.passNanos = Duration.ofMillis(20).toNanos();

        scrape();
        scrape();

        assertThat(this.passes).isEqualTo(1);
        assertThat(this.holds.of("orders").longestNanos).isEqualTo(1);
    }

    @Test
    void shouldVisitThemAgainAfterASecondAtMost() {
        this.passNanos = Duration.ofMinutes(1).toNanos();
        scrape();

        this.now += Duration.ofMillis(999).toNanos();
        scrape();
        assertThat(this.passes).isEqualTo(1);
        this.now += Duration.ofMillis(1).toNanos();
        scrape();

        assertThat(this.passes).isEqualTo(2);
        assertThat(this.holds.of("orders").longestNanos).isEqualTo(2);
    }

    /** A hundred times as long as the visit took. */
    @Test
    void shouldVisitFewLeasesAgainSooner() {
        this.passNanos = 5_000;
        scrape();

        this.now += 499_999;
        scrape();
        assertThat(this.passes).isEqualTo(1);
        this.now += 1;
        scrape();

        assertThat(this.passes).isEqualTo(2);
    }
}
