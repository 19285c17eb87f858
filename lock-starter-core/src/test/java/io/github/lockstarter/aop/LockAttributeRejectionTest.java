package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.OnLost;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LockAttributeRejectionTest {

    @ParameterizedTest
    @MethodSource
    void shouldReject(Class<?> bean, String problem, String remedy) {
        InvalidLockDefinitionException rejection = LockedContext.rejectionOf(bean);

        assertThat(rejection)
                .hasMessageContaining("@DistributedLock on " + bean.getName() + ".run()")
                .hasMessageContaining(problem);
        assertThat(rejection.remedy()).contains(remedy);
    }

    static Stream<Arguments> shouldReject() {
        return Stream.of(
                Arguments.of(
                        LeaseZero.class, "lease = 0 with timeUnit = MILLISECONDS is out of range", "at least 1 ms"),
                Arguments.of(LeaseTooShort.class, "lease = 999999 with timeUnit = NANOSECONDS", "at least 1 ms"),
                Arguments.of(LeaseNegative.class, "lease = -2 with timeUnit = MILLISECONDS", "-1 (renewed)"),
                Arguments.of(LeaseTooLong.class, "lease = 9223372036854775807 with timeUnit = DAYS", "ten years"),
                Arguments.of(LeaseDecades.class, "lease = 36500 with timeUnit = DAYS", "ten years"),
                Arguments.of(LeaseTextZero.class, "leaseString = \"0s\" is out of range", "at least 1 ms"),
                Arguments.of(LeaseTextNegative.class, "leaseString = \"-2\" is out of range", "-1 (renewed)"),
                Arguments.of(LeaseTextWrong.class, "leaseString = \"soon\" is not a duration", "30s, PT30S"),
                Arguments.of(LeaseTwice.class, "lease and leaseString are both set", "Remove one of them"),
                Arguments.of(WaitNegative.class, "waitTime = -1000 with timeUnit = MICROSECONDS", "-1 (no limit)"),
                Arguments.of(WaitTwice.class, "waitTime and waitTimeString are both set", "Remove one of them"),
                Arguments.of(
                        WaitUnresolved.class, "waitTimeString = \"${missing}\" has a placeholder", "Set the property"),
                Arguments.of(MaxHoldZero.class, "maxHold = 0 with timeUnit", "-1 (no limit)"),
                Arguments.of(MaxHoldNegative.class, "maxHold = -2 with timeUnit", "-1 (no limit)"),
                Arguments.of(
                        NameUnresolved.class, "name = \"${missing}-orders\" has a placeholder", "Set the property"),
                Arguments.of(NameBlank.class, "name = \" \" is blank", "NameBlank.run"),
                Arguments.of(NameTooLong.class, "cannot name a lock", "at most 512 bytes"),
                Arguments.of(KeyAndValue.class, "its attributes contradict each other", "either value or key"),
                Arguments.of(MinHoldNegative.class, "minHold = -1", "or 0"),
                Arguments.of(MinHoldTextNegative.class, "minHoldString = \"-1\" is out of range", "or 0"),
                Arguments.of(MinHoldTextWrong.class, "minHoldString = \"soon\" is not a duration", "30s, PT30S"),
                Arguments.of(MinHoldTwice.class, "minHold and minHoldString are both set", "Remove one of them"),
                Arguments.of(
                        MinHoldTextTooLong.class,
                        "minHold is longer than the lease",
                        "Make the lease at least as long"),
                Arguments.of(MaxHoldTextZero.class, "maxHoldString = \"0s\" is out of range", "-1 (no limit)"),
                Arguments.of(MaxHoldTwice.class, "maxHold and maxHoldString are both set", "Remove one of them"),
                Arguments.of(
                        MaxHoldUnresolved.class,
                        "maxHoldString = \"${missing}\" has a placeholder",
                        "Set the property"),
                Arguments.of(
                        MinHoldTooLong.class, "minHold is longer than the lease", "Make the lease at least as long"));
    }

    @Test
    void shouldShowTheValueOfAPlaceholder() {
        assertThat(LockedContext.rejection(() -> LockedContext.prepare(processor -> {}, LeasePlaceholder.class)
                        .property("lease", "never")
                        .refresh()))
                .hasMessageContaining("leaseString = \"${lease}\", which is \"never\", is not a duration");
    }

    @Test
    void shouldRejectDefaultAsTheDefaultReactionToLosses() {
        DistributedLockBeanPostProcessor processor =
                new DistributedLockBeanPostProcessor(() -> new RecordingRegistry());

        assertThatExceptionOfType(InvalidLockSettingException.class)
                .isThrownBy(() -> processor.setOnLost(OnLost.DEFAULT))
                .satisfies(refused -> {
                    assertThat(refused.property()).isEqualTo("distributed-lock.on-lost");
                    assertThat(refused.rule()).contains("throw, interrupt or ignore");
                });
    }

    static class LeaseZero {

        @DistributedLock(lease = 0)
        public void run() {}
    }

    static class LeaseTooShort {

        @DistributedLock(lease = 999_999, timeUnit = TimeUnit.NANOSECONDS)
        public void run() {}
    }

    static class LeaseNegative {

        @DistributedLock(lease = -2)
        public void run() {}
    }

    static class LeaseTooLong {

        @DistributedLock(lease = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
        public void run() {}
    }

    static class LeaseDecades {

        @DistributedLock(lease = 36_500, timeUnit = TimeUnit.DAYS)
        public void run() {}
    }

    static class LeaseTextZero {

        @DistributedLock(leaseString = "0s")
        public void run() {}
    }

    static class LeaseTextNegative {

        @DistributedLock(leaseString = "-2")
        public void run() {}
    }

    static class LeaseTextWrong {

        @DistributedLock(leaseString = "soon")
        public void run() {}
    }

    static class LeaseTwice {

        @DistributedLock(lease = 5, leaseString = "5ms")
        public void run() {}
    }

    static class LeasePlaceholder {

        @DistributedLock(leaseString = "${lease}")
        public void run() {}
    }

    static class WaitNegative {

        @DistributedLock(waitTime = -1000, timeUnit = TimeUnit.MICROSECONDS)
        public void run() {}
    }

    static class WaitTwice {

        @DistributedLock(waitTime = 5, waitTimeString = "${nothing:}")
        public void run() {}
    }

    static class WaitUnresolved {

        @DistributedLock(waitTimeString = "${missing}")
        public void run() {}
    }

    static class MaxHoldZero {

        @DistributedLock(maxHold = 0)
        public void run() {}
    }

    static class MaxHoldNegative {

        @DistributedLock(maxHold = -2)
        public void run() {}
    }

    static class NameUnresolved {

        @DistributedLock(name = "${missing}-orders")
        public void run() {}
    }

    static class NameBlank {

        @DistributedLock(name = " ")
        public void run() {}
    }

    static class NameTooLong {

        private static final String HUNDRED =
                "aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb"
                        + "aaaaaaaaaabbbbbbbbbb";

        @DistributedLock(name = HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED)
        public void run() {}
    }

    static class KeyAndValue {

        @DistributedLock(value = "'a'", key = "'b'")
        public void run() {}
    }

    static class MinHoldNegative {

        @DistributedLock(minHold = -1)
        public void run() {}
    }

    static class MinHoldTooLong {

        @DistributedLock(minHold = 2, lease = 1)
        public void run() {}
    }

    static class MinHoldTextNegative {

        @DistributedLock(minHoldString = "-1")
        public void run() {}
    }

    static class MinHoldTextWrong {

        @DistributedLock(minHoldString = "soon")
        public void run() {}
    }

    static class MinHoldTwice {

        @DistributedLock(minHold = 5, minHoldString = "5ms")
        public void run() {}
    }

    static class MinHoldTextTooLong {

        @DistributedLock(lease = 1000, minHoldString = "2s")
        public void run() {}
    }

    static class MaxHoldTextZero {

        @DistributedLock(maxHoldString = "0s")
        public void run() {}
    }

    static class MaxHoldTwice {

        @DistributedLock(maxHold = -1, maxHoldString = "${nothing:}")
        public void run() {}
    }

    static class MaxHoldUnresolved {

        @DistributedLock(maxHoldString = "${missing}")
        public void run() {}
    }
}
