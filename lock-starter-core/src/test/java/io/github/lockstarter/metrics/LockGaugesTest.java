package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.engine.RegistryStatistics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;

class LockGaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final RegistryStatistics statistics = new RegistryStatistics() {
        @Override
        public int active() {
            return 3;
        }

        @Override
        public int waiting() {
            return 5;
        }

        @Override
        public void forEachHold(ObjLongConsumer<String> visitor) {
            visitor.accept("orders", 1);
        }

        @Override
        public Duration watchdogLag() {
            return Duration.ofMillis(1500);
        }

        @Override
        public long droppedEvents() {
            return 7;
        }
    };

    @Test
    void shouldShowTheStatistics() {
        new LockGauges(this.statistics).bindTo(this.registry);

        assertThat(this.registry
                        .get("distributed.lock.watchdog.lag")
                        .timeGauge()
                        .value())
                .isEqualTo(1.5);
        assertThat(this.registry
                        .get("distributed.lock.events.dropped")
                        .functionCounter()
                        .count())
                .isEqualTo(7);
    }

    @Test
    void shouldDescribeEveryMeter() {
        new LockGauges(this.statistics).bindTo(this.registry);

        assertThat(this.registry.getMeters()).hasSize(2).allSatisfy(meter -> {
            Meter.Id id = meter.getId();
            assertThat(id.getDescription()).as(id.getName()).isNotBlank();
        });
        assertThat(this.registry
                        .get("distributed.lock.watchdog.lag")
                        .timeGauge()
                        .getId()
                        .getBaseUnit())
                .isEqualTo("seconds");
    }
}
