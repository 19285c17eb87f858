package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.OnNotGranted;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;

/** Semaphores, and modes of locks, with which the application does not start. */
class SemaphoreRejectionTest {

    @ParameterizedTest
    @MethodSource
    void shouldReject(Class<?> bean, String problem, String remedy) {
        InvalidLockDefinitionException rejection = LockedContext.rejectionOf(bean);

        assertThat(rejection)
                .hasMessageContaining("@DistributedSemaphore on " + bean.getName() + ".run(")
                .hasMessageContaining(problem);
        assertThat(rejection.remedy()).contains(remedy);
    }

    static Stream<Arguments> shouldReject() {
        return Stream.of(
                Arguments.of(None.class, "permits is not set", "permitsString"),
                Arguments.of(Negative.class, "permits = -1 is out of range", "from 1 to 999999999"),
                Arguments.of(TooMany.class, "permits = 1000000000 is out of range", "from 1 to 999999999"),
                Arguments.of(Twice.class, "permits and permitsString are both set", "Remove one of them"),
                Arguments.of(Heavy.class, "weight = 4 can never be granted, because permits = 3", "at most"),
                Arguments.of(Weightless.class, "weight = 0 is out of range", "at least 1"),
                Arguments.of(Text.class, "permitsString = \"some\" is not a number", "1 to 999999999"),
                Arguments.of(Unresolved.class, "permitsString = \"${missing}\" has a placeholder", "Set the property"),
                Arguments.of(Empty.class, "which is \"\", is not a number", "property"),
                Arguments.of(WaitTwice.class, "waitTime and waitTimeString are both set", "Remove one of them"),
                Arguments.of(KeyAndValue.class, "its attributes contradict each other", "either value or key"),
                Arguments.of(Word.class, "tenant", "name"),
                Arguments.of(Primitive.class, "onNotGranted = SKIP", "Optional"),
                Arguments.of(Static.class, "a proxy cannot intercept a static method", "distributed-lock.mode"),
                Arguments.of(Callback.class, "a @Bean method runs only once", "LockRegistry.execute"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-3", "4.5", "many", "2147483648"})
    void shouldNameMethodAndPropertyOfAnInvalidValue(String value) {
        assertThat(LockedContext.rejection(() -> LockedContext.prepare(processor -> {}, Placeholder.class)
                        .property("exports.permits", value)
                        .refresh()))
                .hasMessageContaining("@DistributedSemaphore on " + Placeholder.class.getName() + ".run()")
                .hasMessageContaining("permitsString = \"${exports.permits}\", which is \"" + value + "\",");
    }

    @Test
    void shouldRejectAWeightAboveTheValueOfAPlaceholder() {
        assertThat(LockedContext.rejection(() -> LockedContext.prepare(processor -> {}, Placeholder.class)
                        .property("exports.permits", "1")
                        .refresh()))
                .hasMessageContaining("weight = 2")
                .hasMessageContaining("permitsString = \"${exports.permits}\", which is \"1\",");
    }

    @Test
    void shouldRejectPermitsAsTheModeOfALock() {
        InvalidLockDefinitionException rejection = LockedContext.rejectionOf(PermitLock.class);

        assertThat(rejection)
                .hasMessageContaining("@DistributedLock on " + PermitLock.class.getName() + ".run()")
                .hasMessageContaining("mode = PERMIT");
        assertThat(rejection.remedy()).contains("@DistributedSemaphore");
    }

    @Test
    void shouldRejectANameThatIsALockAndASemaphore() {
        assertThat(LockedContext.rejectionOf(Exporter.class, Importer.class))
                .hasMessageContaining("'exports'")
                .hasMessageContaining("@DistributedSemaphore on " + Exporter.class.getName() + ".run()")
                .hasMessageContaining("@DistributedLock on " + Importer.class.getName() + ".run()");
        assertThat(LockedContext.rejectionOf(SameName.class)).hasMessageContaining("the same method");
    }

    /** A derived name belongs to one method, and there to a lock or to a semaphore. */
    @Test
    void shouldRejectDerivedNamesThatAreNotUnique() {
        assertThat(LockedContext.rejectionOf(BothUnnamed.class))
                .hasMessageContaining("'BothUnnamed.run'")
                .hasMessageContaining("the same method");
        InvalidLockDefinitionException overloads = LockedContext.rejectionOf(Overloads.class);
        assertThat(overloads).hasMessageContaining("'Overloads.run' is already that of");
        assertThat(overloads.remedy()).contains("@DistributedSemaphore(name = ");
        assertThat(LockedContext.rejectionOf(MixedOverloads.class)).hasMessageContaining("'MixedOverloads.run'");
    }

    @Test
    void shouldRejectTheSameSemaphoreTwice() {
        assertThat(LockedContext.rejectionOf(Repeated.class)).hasMessageContaining("'exports'");
    }

    static class None {

        @DistributedSemaphore
        public void run() {}
    }

    static class Negative {

        @DistributedSemaphore(permits = -1)
        public void run() {}
    }

    static class TooMany {

        @DistributedSemaphore(permits = 1_000_000_000)
        public void run() {}
    }

    static class Twice {

        @DistributedSemaphore(permits = 3, permitsString = "3")
        public void run() {}
    }

    static class Heavy {

        @DistributedSemaphore(permits = 3, weight = 4)
        public void run() {}
    }

    static class Weightless {

        @DistributedSemaphore(permits = 3, weight = 0)
        public void run() {}
    }

    static class Text {

        @DistributedSemaphore(permitsString = "some")
        public void run() {}
    }

    static class Unresolved {

        @DistributedSemaphore(permitsString = "${missing}")
        public void run() {}
    }

    static class Empty {

        @DistributedSemaphore(permitsString = "${missing:}")
        public void run() {}
    }

    static class WaitTwice {

        @DistributedSemaphore(permits = 3, waitTime = 1, waitTimeString = "1")
        public void run() {}
    }

    static class KeyAndValue {

        @DistributedSemaphore(permits = 3, key = "#a0", value = "#p0")
        public void run(String id) {}
    }

    static class Word {

        @DistributedSemaphore(permits = 3, key = "tenant")
        public void run(String id) {}
    }

    static class Primitive {

        @DistributedSemaphore(permits = 3, onNotGranted = OnNotGranted.SKIP)
        public int run() {
            return 1;
        }
    }

    static class Static {

        @SuppressWarnings("UnusedMethod") // its annotation is read
        @DistributedSemaphore(permits = 3)
        public static void run() {}
    }

    static class Callback {

        @Bean
        @DistributedSemaphore(permits = 3)
        public String run() {
            return "";
        }
    }

    static class Placeholder {

        @DistributedSemaphore(permitsString = "${exports.permits}", weight = 2)
        public void run() {}
    }

    static class PermitLock {

        @DistributedLock(mode = LockMode.PERMIT)
        public void run() {}
    }

    static class Exporter {

        @DistributedSemaphore(name = "exports", permits = 3)
        public void run() {}
    }

    static class Importer {

        @DistributedLock(name = "exports", key = "#root.method.name")
        public void run() {}
    }

    static class SameName {

        @DistributedLock(name = "exports")
        @DistributedSemaphore(name = "exports", permits = 3)
        public void run() {}
    }

    static class BothUnnamed {

        @DistributedLock
        @DistributedSemaphore(permits = 3)
        public void run() {}
    }

    static class Overloads {

        @DistributedSemaphore(permits = 3)
        public void run() {}

        @DistributedSemaphore(permits = 3)
        public void run(String id) {}
    }

    static class MixedOverloads {

        @DistributedLock
        public void run() {}

        @DistributedSemaphore(permits = 3)
        public void run(String id) {}
    }

    static class Repeated {

        @DistributedSemaphore(name = "exports", permits = 3)
        @DistributedSemaphore(name = "exports", permits = 4)
        public void run() {}
    }
}
