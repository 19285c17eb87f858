package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What properties by name do to annotated methods and requests, and what is wrong with them. */
@ExtendWith(OutputCaptureExtension.class)
class NamedSettingsTest {

    private Environment environment;

    private final ApplicationContextRunner application = TestContexts.inMemory()
            .withBean(TicketOffice.class)
            .withInitializer(context -> this.environment = context.getEnvironment());

    /** The annotation would wait for an hour. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.locks.[TicketOffice.sell].wait-time=0",
                "distributed-lock.locks[TicketOffice.sell].waitTime=0",
                "distributed-lock.locks.ticketofficesell.wait-time=0"
            })
    void shouldOverrideTheAnnotation(String property, CapturedOutput output) {
        this.application.withPropertyValues(property).run(shouldNotWait());

        assertThat(output).doesNotContain("distributed-lock.locks");
    }

    @Test
    void shouldReadEnvironmentVariables(CapturedOutput output) {
        this.application
                .withPropertyValues("distributed-lock.locks.[TicketOffice.sell].wait-time=1h")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(variables("DISTRIBUTEDLOCK_LOCKS_TICKETOFFICESELL_WAITTIME", "0")))
                .run(shouldNotWait());

        assertThat(output).doesNotContain("distributed-lock.locks");
    }

    @Test
    void shouldReadPropertiesAtTheStartOnly() {
        String property = "distributed-lock.locks.[TicketOffice.sell].wait-time=";
        this.application.withPropertyValues(property + 0).run(context -> {
            TestPropertyValues.of(property + "1h").applyTo((ConfigurableEnvironment) this.environment);

            shouldNotWait().accept(context);
        });
    }

    private static ContextConsumer<AssertableApplicationContext> shouldNotWait() {
        return context -> {
            LockRegistry registry = context.getBean(LockRegistry.class);
            Consumer<Runnable> other = call -> CompletableFuture.runAsync(call)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            registry.executeWithoutResult(
                    LockRequest.of("TicketOffice.sell", ""),
                    lease -> other.accept(() -> {
                        assertThat(catchThrowable(() ->
                                        context.getBean(TicketOffice.class).sell()))
                                .isInstanceOfSatisfying(
                                        LockNotGrantedException.class,
                                        failure ->
                                                assertThat(failure.waitTime()).isZero());
                    }));
        };
    }

    @Test
    void shouldApplyToRequestsThatDoNotSetTheValue() {
        this.application
                .withPropertyValues("distributed-lock.locks.event.wait-time=0")
                .run(context -> {
                    LockRegistry registry = context.getBean(LockRegistry.class);
                    try (var held = registry.acquire(LockRequest.of("event:42"))) {
                        assertThat(registry.tryAcquire(LockRequest.of("event:42")))
                                .isEmpty();
                        assertThat(catchThrowableOfType(
                                                LockNotGrantedException.class,
                                                () -> registry.acquire(LockRequest.of("event:42")
                                                        .withWaitTime(Duration.ofMillis(1))))
                                        .waitTime())
                                .isEqualTo(Duration.ofMillis(1));
                    }
                });
    }

    @Test
    void shouldNameThoseThatNoMethodUsesAndKnownNames(CapturedOutput output) {
        this.application
                .withPropertyValues(
                        "distributed-lock.locks.[TicketOffice.sel].wait-time=1s",
                        "distributed-lock.locks.event.wait-time=1s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.getOut().lines().filter(line -> line.contains("distributed-lock.locks")))
                .singleElement()
                .asString()
                .contains(
                        "WARN",
                        "[TicketOffice.sel]",
                        "[event]",
                        "LockRegistry",
                        "TicketOffice.refund, TicketOffice.sell");
    }

    @Test
    void shouldReportWhatBindsToNothing(CapturedOutput output) {
        this.application
                .withPropertyValues(
                        "distributed-lock.locks.TicketOffice.sell.wait-time=1s",
                        "distributed-lock.locks.event.wait-tme=1s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.getOut().lines().filter(line -> line.contains("has no effect")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line)
                                .contains(
                                        "WARN",
                                        "distributed-lock.locks.TicketOffice.sell.wait-time",
                                        "distributed-lock.locks.[TicketOffice.sell].wait-time",
                                        "DISTRIBUTEDLOCK_LOCKS_TICKETOFFICESELL_WAITTIME"),
                        line -> assertThat(line)
                                .contains("distributed-lock.locks.event.wait-tme", "wait-time", "on-lost"));
    }

    @Test
    void shouldRejectAMinimumHoldThatIsLongerThanTheLeaseOfTheAnnotation() {
        assertRejected(
                "distributed-lock.locks.[TicketOffice.refund].min-hold",
                "6m",
                "TicketOffice.refund()",
                "distributed-lock.locks.[TicketOffice.refund].lease");
    }

    @Test
    void shouldRejectALeaseThatIsShorterThanTheMinimumHoldOfTheAnnotation() {
        assertRejected(
                "distributed-lock.locks.[TicketOffice.refund].lease",
                "30s",
                "TicketOffice.refund()",
                "distributed-lock.locks.[TicketOffice.refund].lease to -1");
        this.application
                .withPropertyValues(
                        "distributed-lock.locks.[TicketOffice.refund].lease=30s",
                        "distributed-lock.locks.[TicketOffice.refund].min-hold=0")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldRejectAnInterruptWithoutAThread() {
        assertRejected("distributed-lock.locks.print.on-lost", "interrupt", "TicketOffice.print()", "throw");
    }

    @Test
    void shouldRejectATimeoutWithoutTimeForARetry() {
        this.application
                .withPropertyValues(
                        "distributed-lock.locks.print.watchdog-timeout=1s", "distributed-lock.redis.command-timeout=1s")
                .run(context -> assertThat(analysis(context).getDescription())
                        .contains(
                                "Property: distributed-lock.locks.print.watchdog-timeout",
                                "Property: distributed-lock.redis.command-timeout"));
        // By default the timeout of commands follows.
        this.application
                .withPropertyValues("distributed-lock.locks.print.watchdog-timeout=1s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldRejectSettingsOfTwoNames() {
        this.application
                .withBean(OtherOffice.class)
                .withPropertyValues("distributed-lock.locks.ticketofficesell.wait-time=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLockSettingException.class)
                        .hasMessageContainingAll("'TicketOffice.sell'", "'ticket-office-sell'"));
    }

    private void assertRejected(String property, String value, String method, String remedy) {
        this.application.withPropertyValues(property + '=' + value).run(context -> {
            FailureAnalysis analysis = analysis(context);
            assertThat(analysis.getDescription())
                    .startsWith(property)
                    .contains(method, "Property: " + property, "Value: \"" + value + '"', "Origin: ");
            assertThat(analysis.getAction()).contains(remedy);
        });
    }

    private FailureAnalysis analysis(AssertableApplicationContext failed) {
        assertThat(failed).hasFailed();
        return FailureAnalyses.of(failed.getStartupFailure(), this.environment);
    }

    private static SystemEnvironmentPropertySource variables(String name, String value) {
        return new SystemEnvironmentPropertySource(
                "tests-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, value));
    }

    static class TicketOffice {

        @DistributedLock(waitTimeString = "1h")
        void sell() {}

        @DistributedLock(leaseString = "5m", minHoldString = "1m")
        void refund() {}

        @DistributedLock(name = "print")
        CompletableFuture<Void> print() {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class OtherOffice {

        @DistributedLock(name = "ticket-office-sell", onLost = OnLost.IGNORE)
        void sell() {}
    }
}
