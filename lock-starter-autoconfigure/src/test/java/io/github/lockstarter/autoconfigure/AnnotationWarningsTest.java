package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.testsupport.LogCapture;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;
import org.springframework.data.domain.Page;
import org.springframework.data.util.Lazy;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotations that work, but perhaps not as they are meant. */
class AnnotationWarningsTest {

    @AutoClose
    private final LogCapture log = new LogCapture(AnnotationWarnings.class, Level.WARN);

    private List<String> warningsOf(Class<?> bean, String... properties) {
        TestContexts.inMemory()
                .withBean(bean)
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
        return this.log.with("");
    }

    private void assertWarnings(Class<?> bean, String... expected) {
        List<String> warnings = new ArrayList<>(warningsOf(bean, "wait=5"));
        for (String each : expected) {
            String[] parts = each.split(" \\.\\. ");
            assertThat(warnings)
                    .as("one line for each method")
                    .anySatisfy(line -> assertThat(line).contains(parts));
            warnings.removeIf(line -> Stream.of(parts).allMatch(line::contains));
        }
        assertThat(warnings).as("others").isEmpty();
    }

    @Test
    void shouldWarnOfTimesWithoutAUnit() {
        assertWarnings(
                Unitless.class,
                "Unitless.number: waitTime = 5 means 5 ms; write 5s for seconds, or 5ms, as the text waitTimeString",
                "Unitless.several: waitTime = 30 means 30 ms .. lease = 999 means 999 ms",
                "Unitless.text: waitTime = 5 means 5 ms; write 5s for seconds, or 5ms.",
                "Unitless.placeholder: waitTime = 5 means 5 ms",
                "Unitless.permits: maxHold = 60 means 60 ms",
                "Unitless.job: maxHold = 600 means 600 ms",
                "Unitless.composed: waitTime = 3 means 3 ms");
        assertThat(this.log.events()).hasSize(7);
    }

    @Test
    void shouldWarnOfTimesOfAClass() {
        assertWarnings(OfClass.class, "OfClass.run: waitTime = 5 means 5 ms");
    }

    @Test
    void shouldWarnOfAMaximumHoldWithoutEffect() {
        assertWarnings(
                Capped.class,
                "Capped.both: maxHold has no effect beside a fixed lease .. distributed-lock.locks.[Capped.both]",
                "Capped.texts: maxHold has no effect");
    }

    @Test
    void shouldWarnOfAMaximumHoldThatAPropertyMakesUseless() {
        assertThat(warningsOf(Renewed.class, "distributed-lock.locks.renewed.lease=30s"))
                .singleElement()
                .asString()
                .contains("Renewed.run", "maxHold has no effect");
        assertThat(warningsOf(Capped.class, "distributed-lock.locks.[Capped.both].lease=-1"))
                .as("a property repairs it")
                .noneMatch(line -> line.contains("Capped.both"));
    }

    @Test
    void shouldWarnOfAMinimumHoldThatIsLongerThanThePeriod() {
        String longer = ", longer than its period of ";
        assertWarnings(
                Jobs.class,
                "Jobs.rate is 30s" + longer + "10s",
                "Jobs.delay is 2m" + longer + "1m",
                "Jobs.text is 30s" + longer + "10s",
                "Jobs.placeholder is 30s" + longer + "5s",
                "Jobs.cron is 11m" + longer + "10m",
                "Jobs.uneven is 3h" + longer + "1h",
                "Jobs.hourly is 2h" + longer + "1h",
                "Jobs.one is 1h" + longer + "1m",
                "Jobs.plain is 1m" + longer + "1s");
    }

    @Test
    void shouldWarnOfResultsWhoseWorkMayRunLater() {
        assertWarnings(
                Lazies.class,
                "Lazies.stream .. a Stream,",
                "Lazies.supplier .. a Supplier,",
                "Lazies.lazy .. a Lazy,",
                "Lazies.iterator .. a Iterator,",
                "Lazies.map .. a Callable,",
                "Lazies.inFuture .. a Stream,",
                "Lazies.inFlux .. a Mono,",
                "Lazies.inList .. a Stream,");
    }

    @Test
    void shouldBeSilentOfTheOthers() {
        assertThat(warningsOf(Plain.class, "wait=5s")).isEmpty();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock
    @interface Patient {
        @AliasFor(annotation = DistributedLock.class, attribute = "waitTimeString")
        String patience();
    }

    static class Unitless {
        @DistributedLock(waitTime = 5)
        public void number() {}

        @DistributedLock(waitTime = 30, lease = 999)
        public void several() {}

        @DistributedLock(waitTimeString = "5")
        public void text() {}

        @DistributedLock(waitTimeString = "${wait}")
        public void placeholder() {}

        @DistributedSemaphore(permits = 2, maxHold = 60)
        public void permits() {}

        @ScheduledLock(minHold = "30s", maxHold = "600")
        public void job() {}

        @Patient(patience = "3")
        public void composed() {}
    }

    @DistributedLock(waitTime = 5)
    static class OfClass {
        public void run() {}
    }

    static class Capped {
        @DistributedLock(lease = 30_000, maxHold = 60_000)
        public void both() {}

        @DistributedLock(leaseString = "30s", maxHoldString = "1m")
        public void texts() {}

        @DistributedLock(leaseString = "30s", maxHoldString = "-1")
        public void unlimited() {}
    }

    static class Renewed {
        @DistributedLock(name = "renewed", maxHoldString = "1m")
        public void run() {}
    }

    static class Jobs {
        @Scheduled(fixedRate = 10_000)
        @ScheduledLock(minHold = "30s")
        public void rate() {}

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.MINUTES)
        @ScheduledLock(minHold = "2m")
        public void delay() {}

        @Scheduled(fixedRateString = "PT10S")
        @ScheduledLock(minHold = "30s")
        public void text() {}

        @Scheduled(fixedDelayString = "${wait}", timeUnit = TimeUnit.SECONDS)
        @ScheduledLock(minHold = "30s")
        public void placeholder() {}

        @Scheduled(cron = "0 0/10 * * * *")
        @ScheduledLock(minHold = "11m")
        public void cron() {}

        @Scheduled(cron = "0 0 9-11 * * MON-FRI")
        @ScheduledLock(minHold = "3h")
        public void uneven() {}

        @Scheduled(cron = "@hourly")
        @ScheduledLock(minHold = "2h")
        public void hourly() {}

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(fixedRate = 60_000)
        @ScheduledLock(minHold = "1h")
        public void one() {}

        @Scheduled(fixedRate = 1000)
        @DistributedLock(waitTime = 0, minHoldString = "1m")
        public void plain() {}

        @Scheduled(fixedRate = 10_000)
        @ScheduledLock(minHold = "10s")
        public void asLong() {}

        @Scheduled(cron = "0 0 3 * * *")
        @ScheduledLock(minHold = "23h")
        public void daily() {}

        @Scheduled(cron = "-")
        @ScheduledLock(minHold = "23h")
        public void never() {}

        @Scheduled(fixedRate = 1000)
        @DistributedSemaphore(name = "slots", permits = 2, waitTime = 0, minHoldString = "1m")
        public void permit() {}
    }

    static class Lazies {
        @DistributedLock
        public Stream<String> stream() {
            return Stream.of();
        }

        @DistributedLock
        public Supplier<String> supplier() {
            return () -> "";
        }

        @DistributedLock
        public Lazy<String> lazy() {
            return Lazy.of("");
        }

        @DistributedLock
        public Iterator<String> iterator() {
            return List.of("").iterator();
        }

        @DistributedLock
        public Map<String, Callable<String>> map() {
            return Map.of();
        }

        @DistributedLock
        public CompletableFuture<Stream<String>> inFuture() {
            return CompletableFuture.completedFuture(Stream.of());
        }

        @DistributedLock
        public Flux<Mono<String>> inFlux() {
            return Flux.just();
        }

        @DistributedLock
        public List<Stream<String>> inList() {
            return List.of();
        }
    }

    record Price(String text) implements Supplier<String> {
        @Override
        public String get() {
            return this.text;
        }
    }

    static class Plain {
        @DistributedLock(waitTime = 5, timeUnit = TimeUnit.SECONDS)
        public void seconds() {}

        @DistributedLock(waitTime = 5000, leaseString = "500ms")
        public void written() {}

        @DistributedLock(waitTime = 0, lease = -1, maxHold = -1)
        public void special() {}

        @DistributedLock(waitTimeString = "${wait}")
        public void placeholder() {}

        @DistributedLock
        public Page<String> page() {
            return Page.empty();
        }

        @DistributedLock
        public Price price() {
            return new Price("1");
        }

        @DistributedLock
        public List<Map<String, String>> values() {
            return List.of();
        }

        @DistributedLock
        public Object object() {
            return "";
        }
    }
}
