package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LockAttributesTest {

    @Test
    void shouldUseTheConfigurationForUnsetAttributes() throws Exception {
        LockRequest request = requestOf("plain");

        assertThat(request.lockName()).isEqualTo("Accepted.plain");
        assertThat(request.waitTime()).isNull();
        assertThat(request.lease()).isNull();
        assertThat(request.maxHold()).isNull();
        assertThat(request.onLost()).isEqualTo(OnLost.DEFAULT);
    }

    @Test
    void shouldReadNumbersInTheirUnit() throws Exception {
        LockRequest request = requestOf("numbers");

        assertThat(request.waitTime()).hasSeconds(2);
        assertThat(request.lease()).hasSeconds(3);
        assertThat(request.maxHold()).hasSeconds(4);
        assertThat(request.onLost()).isEqualTo(OnLost.INTERRUPT);
    }

    @Test
    void shouldReadMinusOneAsNoLimitInAnyUnit() throws Exception {
        LockRequest request = requestOf("noLimit");

        assertThat(request.waitTime()).isEqualTo(LockRequest.FOREVER);
        assertThat(request.lease()).isNull();
        assertThat(request.maxHold()).isEqualTo(LockRequest.FOREVER);
    }

    @ParameterizedTest
    @MethodSource
    void shouldReadTexts(String method, Duration waitTime, Duration lease) throws Exception {
        LockRequest request = requestOf(method);

        assertThat(request.waitTime()).isEqualTo(waitTime);
        assertThat(request.lease()).isEqualTo(lease);
    }

    static Stream<Arguments> shouldReadTexts() {
        return Stream.of(
                Arguments.of("suffixes", Duration.ofSeconds(5), Duration.ofMinutes(2)),
                Arguments.of("iso", Duration.ofSeconds(30), Duration.ofMillis(1500)),
                Arguments.of("bareNumbers", Duration.ofSeconds(7), Duration.ofSeconds(8)),
                Arguments.of("minusOneTexts", LockRequest.FOREVER, LockRequest.FOREVER),
                Arguments.of("placeholders", Duration.ofSeconds(9), Duration.ofSeconds(11)),
                Arguments.of("emptyPlaceholder", null, null),
                Arguments.of("tryOnce", Duration.ZERO, null));
    }

    @ParameterizedTest
    @MethodSource
    void shouldReadTextsOfHolds(String method, Duration maxHold, Duration minHold) throws Exception {
        LockRequest request = requestOf(method);

        assertThat(request.maxHold()).isEqualTo(maxHold);
        assertThat(request.minHold()).isEqualTo(minHold);
    }

    static Stream<Arguments> shouldReadTextsOfHolds() {
        return Stream.of(
                Arguments.of("suffixes", Duration.ofHours(1), Duration.ofSeconds(20)),
                Arguments.of("iso", Duration.ofMinutes(90), Duration.ofMillis(500)),
                Arguments.of("bareNumbers", Duration.ofSeconds(60), Duration.ofSeconds(3)),
                Arguments.of("minusOneTexts", LockRequest.FOREVER, Duration.ZERO),
                Arguments.of("placeholders", Duration.ofSeconds(9), Duration.ofSeconds(7)),
                Arguments.of("emptyPlaceholder", null, Duration.ZERO));
    }

    @Test
    void shouldResolvePlaceholdersInTheName() throws Exception {
        assertThat(requestOf("named").lockName()).isEqualTo("eu-orders");
    }

    private static LockRequest requestOf(String method) throws ReflectiveOperationException {
        try (LockedContext context = LockedContext.prepare(processor -> {}, Accepted.class)
                .property("region", "eu")
                .property("wait", "9s")) {
            context.refresh();
            Accepted.class.getMethod(method).invoke(context.getBean(Accepted.class));
            return context.registry.request();
        }
    }

    static class Accepted {

        @DistributedLock
        public void plain() {}

        @DistributedLock(waitTime = 2, lease = 3, maxHold = 4, timeUnit = TimeUnit.SECONDS, onLost = OnLost.INTERRUPT)
        public void numbers() {}

        @DistributedLock(waitTime = -1, lease = -1, maxHold = -1, timeUnit = TimeUnit.HOURS)
        public void noLimit() {}

        @DistributedLock(waitTimeString = "5s", leaseString = "2m", maxHoldString = "1h", minHoldString = "20s")
        public void suffixes() {}

        @DistributedLock(
                waitTimeString = "PT30S",
                leaseString = "PT1.5S",
                maxHoldString = "PT1H30M",
                minHoldString = "PT0.5S")
        public void iso() {}

        @DistributedLock(
                waitTimeString = "7",
                leaseString = " 8 ",
                maxHoldString = "60",
                minHoldString = "3",
                timeUnit = TimeUnit.SECONDS)
        public void bareNumbers() {}

        @DistributedLock(
                waitTimeString = "-1",
                leaseString = "-1",
                maxHoldString = "-1",
                minHoldString = "0",
                timeUnit = TimeUnit.SECONDS)
        public void minusOneTexts() {}

        @DistributedLock(
                waitTimeString = "${wait}",
                leaseString = "${hold:11s}",
                maxHoldString = "${wait}",
                minHoldString = "${least:7s}")
        public void placeholders() {}

        @DistributedLock(
                waitTimeString = "${nothing:}",
                leaseString = "${nothing:}",
                maxHoldString = "${nothing:}",
                minHoldString = "${nothing:}")
        public void emptyPlaceholder() {}

        @DistributedLock(waitTime = 0)
        public void tryOnce() {}

        @DistributedLock(name = "${region}-orders")
        public void named() {}
    }
}
