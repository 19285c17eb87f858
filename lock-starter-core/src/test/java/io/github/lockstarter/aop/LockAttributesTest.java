package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.named.SettingsByName;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.core.annotation.AliasFor;

/** How the attributes of locks and semaphores become requests, and which of them fail the start. */
class LockAttributesTest {

    @AutoClose
    private final LockedContext context = LockedContext.prepare(processor -> {});

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        plain            | Accepted.plain
        numbers          | Accepted.numbers wait=PT2S lease=PT3S maxHold=PT4S minHold=PT1S INTERRUPT
        noLimit          | Accepted.noLimit wait=PT-0.001S maxHold=PT-0.001S
        suffixesAndIso   | Accepted.suffixesAndIso wait=PT5S lease=PT1.5S maxHold=PT1H30M minHold=PT1S
        bareNumbers      | Accepted.bareNumbers wait=PT7S lease=PT8S maxHold=PT1M minHold=PT3S
        minusOneTexts    | Accepted.minusOneTexts wait=PT-0.001S lease=PT-0.001S maxHold=PT-0.001S
        placeholders     | eu-orders wait=PT9S lease=PT11S maxHold=PT9S minHold=PT7S
        emptyPlaceholder | Accepted.emptyPlaceholder
        tryOnce          | Accepted.tryOnce wait=PT0S
        hash             | desk #1
        read             | Accepted.read READ
        limit            | Accepted.limit maxWaiters=0
        permits          | Accepted.permits 1 of 3
        allOfASemaphore  | exports wait=PT4S lease=PT40S maxHold=PT1M minHold=PT2S maxWaiters=20 INTERRUPT 2 of 5
        permitsInTexts   | exports-eu wait=PT9S 1 of 7
        composed         | printers 3 of 4
        """)
    void shouldBecomeTheRequest(String method, String request) {
        set(Map.of("region", "eu", "wait", "9s", "seven", "7"));

        assertThat(describe(read(Accepted.class, method))).isEqualTo(request);
    }

    @Test
    void shouldTellTheRequestThatACallIsSkipped() {
        set(Map.of());

        assertThat(read(Accepted.class, "skipped").onNotGranted())
                .as("what decides whether the end of the wait is a warning")
                .isEqualTo(OnNotGranted.SKIP);
    }

    private void set(Map<String, String> properties) {
        properties.forEach(this.context::property);
        this.context.refresh();
    }

    private LockRequest read(Class<?> type, String name) {
        Method method = BeanUtils.findDeclaredMethodWithMinimalParameters(type, name);
        return new LockedMethodSource(this.context::getBeanFactory, SettingsByName.NONE)
                .find(method, type)
                .specs()
                .get(0)
                .template();
    }

    private static String describe(LockRequest request) {
        return Stream.of(
                        request.name(),
                        request.waitTime() != null ? "wait=" + request.waitTime() : "",
                        request.lease() != null ? "lease=" + request.lease() : "",
                        request.maxHold() != null ? "maxHold=" + request.maxHold() : "",
                        request.minHold().isZero() ? "" : "minHold=" + request.minHold(),
                        request.maxWaiters() != null ? "maxWaiters=" + request.maxWaiters() : "",
                        request.onLost() == OnLost.DEFAULT
                                ? ""
                                : request.onLost().name(),
                        request.mode() == LockMode.READ ? "READ" : "",
                        request.mode() == LockMode.PERMIT ? request.weight() + " of " + request.permits() : "")
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        leaseTooShort     | lease = 999999 with timeUnit = NANOSECONDS              | at least 1 ms
        leaseNegative     | lease = -2 with timeUnit = MILLISECONDS                 | -1 (renewed)
        leaseTooLong      | lease = 9223372036854775807 with timeUnit = DAYS        | ten years
        leaseTextZero     | leaseString = "0s" is out of range                      | at least 1 ms
        leaseTextWrong    | leaseString = "${never}", which is "never", is not a duration | 30s, PT30S
        leaseTwice        | lease and leaseString are both set                      | Remove lease or leaseString
        limitNegative     | maxWaiters = -1 is negative                             | to 0 to refuse each caller
        waitNegative      | waitTime = -1000 with timeUnit = MICROSECONDS           | -1 (no limit)
        waitTwice         | waitTime and waitTimeString are both set                | Remove waitTime or waitTimeString
        waitUnresolved    | waitTimeString = "${missing}" has a placeholder         | Set the property
        maxHoldZero       | maxHold = 0 with timeUnit                               | -1 (no limit)
        minHoldNegative   | minHold = -1                                            | or 0
        minHoldTooLong    | minHold is longer than the lease                        | at least as long
        nameUnresolved    | name = "${missing}-orders" has a placeholder            | Set the property
        nameBlank         | name = " " is blank                                     | Rejected.nameBlank
        nameTooLong       | cannot name a lock                                      | at most 512 bytes
        namePosition      | is not evaluated, so that all calls would share one lock | Expressions belong in key
        nameVariable      | is not evaluated, so that all calls would share one lock | Expressions belong in key
        nameTemplate      | is not evaluated, so that all calls would share one lock | Expressions belong in key
        nameBraces        | contains braces, which are not evaluated                | Move the expression to key
        namePlaceholder   | contains braces, which are not evaluated                | Redis Cluster
        nameFormula       | contains braces, which are not evaluated                | Move the expression to key
        namePattern       | contains braces, which are not evaluated                | key = "#id"
        keyAndValue       | its attributes contradict each other: attribute '       | either value or key
        permitMode        | mode = PERMIT                                           | @DistributedSemaphore
        interruptedFuture | onLost = INTERRUPT, but the work of the method has no thread of its own | Set onLost = THROW
        sameKeyTwice      | two annotations request the same lock                   | Remove one of the two annotations
        skippedNumber     | onNotGranted = SKIP, but the method returns int,      | wrapper class
        contradiction     | contradict each other                                   | Remove onNotGranted or fallback
        noPermits         | permits = 0 with weight = 1 is out of range             | permitsString
        tooManyPermits    | permits = 1000000000 with weight = 1 is out of range    | from 1 to 999999999
        permitsTwice      | permits and permitsString are both set                  | Remove permits or permitsString
        tooHeavy          | permits = 3 with weight = 4 is out of range             | at most that number
        weightless        | permits = 3 with weight = 0 is out of range             | at least 1
        emptyPermits      | which is "", with weight = 1 is out of range            | permits
        bothKinds         | one name cannot be both a lock and a semaphore          | the same method
        """)
    void shouldFailTheStart(String method, String problem, String remedy) {
        set(Map.of("never", "never", "braces", "{ #order.id }"));

        assertThatExceptionOfType(InvalidLockDefinitionException.class)
                .isThrownBy(() -> read(Rejected.class, method))
                .satisfies(LockedContext::assertStandsAlone)
                .satisfies(rejection -> assertThat(rejection.getMessage())
                        .startsWith("@Distributed")
                        .contains(Rejected.class.getName() + '.' + method + '(', problem, remedy)
                        .doesNotContain(".."));
    }

    /** Attributes of an annotation that is composed of a lock are named as they are written. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        minHoldWrong    | @ScheduledLock (a @DistributedLock) on | minHold = "soon" is not a duration
        minHoldLong     | @ScheduledLock (a @DistributedLock) on | minHold = "9999999d" is out of range
        maxHoldMissing  | @ScheduledLock (a @DistributedLock) on | maxHold = "${missing}" has a placeholder
        jobName         | @ScheduledLock (a @DistributedLock) on | name = "job:{id}" contains braces
        jobResult       | @ScheduledLock (a @DistributedLock) on | onNotGranted = SKIP, but the method returns int
        lineNumbers     | @Queue (a @DistributedSemaphore) on    | size = "many"
        lineName        | @Queue (a @DistributedSemaphore) on    | line = "a{id}" contains braces
        lineKey         | @Queue (a @DistributedSemaphore) on    | in by = "'all'", it is one text
        twoOfThem       | @DistributedLock on                    | waitTimeString = "soon" is not a duration
        """)
    void shouldNameAnnotationAndAttributeAsTheyAreWritten(String method, String annotation, String attribute) {
        set(Map.of("never", "never"));

        assertThatExceptionOfType(InvalidLockDefinitionException.class)
                .isThrownBy(() -> read(Composed.class, method))
                .satisfies(rejection -> assertThat(rejection.getMessage())
                        .startsWith(annotation)
                        .contains(Composed.class.getName() + '.' + method + '(', attribute)
                        .doesNotContain(attribute.contains("waitTimeString") ? "@ScheduledLock" : "String = "));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedSemaphore(permits = 0)
    @interface Queue {
        @AliasFor(annotation = DistributedSemaphore.class, attribute = "name")
        String line() default "";

        @AliasFor(annotation = DistributedSemaphore.class, attribute = "permitsString")
        String size() default "2";

        @AliasFor(annotation = DistributedSemaphore.class, attribute = "key")
        String by() default "";
    }

    @SuppressWarnings("unused") // read by their names
    static class Composed {

        @ScheduledLock(minHold = "soon")
        void minHoldWrong() {}

        @ScheduledLock(minHold = "9999999d")
        void minHoldLong() {}

        @ScheduledLock(minHold = "1m", maxHold = "${missing}")
        void maxHoldMissing() {}

        @ScheduledLock(name = "job:{id}", minHold = "1m")
        void jobName() {}

        @ScheduledLock(minHold = "1m")
        int jobResult() {
            return 1;
        }

        @Queue(size = "many")
        void lineNumbers() {}

        @Queue(line = "a{id}")
        void lineName() {}

        @Queue(by = "'all'")
        void lineKey() {}

        @ScheduledLock(name = "job", minHold = "1m")
        @DistributedLock(waitTimeString = "soon")
        void twoOfThem() {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-3", "4.5", "many", "2147483648", "1"})
    void shouldNameMethodAndPropertyOfAnInvalidNumberOfPermits(String value) {
        set(Map.of("exports.permits", value));

        assertThatExceptionOfType(InvalidLockDefinitionException.class)
                .isThrownBy(() -> read(Rejected.class, "placeholder"))
                .withMessageContainingAll(
                        "@DistributedSemaphore on " + Rejected.class.getName() + ".placeholder()",
                        "permitsString = \"${exports.permits}\", which is \"" + value + "\",");
    }

    @SuppressWarnings("unused") // read by their names
    static class Accepted {

        @DistributedLock(onNotGranted = OnNotGranted.SKIP)
        public void skipped() {}

        @DistributedLock
        void plain() {}

        @DistributedLock(
                waitTime = 2,
                lease = 3,
                maxHold = 4,
                minHold = 1,
                timeUnit = TimeUnit.SECONDS,
                onLost = OnLost.INTERRUPT)
        void numbers() {}

        @DistributedLock(waitTime = -1, lease = -1, maxHold = -1, timeUnit = TimeUnit.HOURS)
        void noLimit() {}

        @DistributedLock(waitTimeString = "5s", leaseString = "PT1.5S", maxHoldString = "PT90M", minHoldString = "1s")
        void suffixesAndIso() {}

        @DistributedLock(
                waitTimeString = "7",
                leaseString = " 8 ",
                maxHoldString = "60",
                minHoldString = "3",
                timeUnit = TimeUnit.SECONDS)
        void bareNumbers() {}

        @DistributedLock(waitTimeString = "-1", leaseString = "-1", maxHoldString = "-1", minHoldString = "0")
        void minusOneTexts() {}

        @DistributedLock(
                name = "${region}-orders",
                waitTimeString = "${wait}",
                leaseString = "${hold:11s}",
                maxHoldString = "${wait}",
                minHoldString = "${least:7s}")
        void placeholders() {}

        @DistributedLock(
                waitTimeString = "${nothing:}",
                leaseString = "${nothing:}",
                maxHoldString = "${nothing:}",
                minHoldString = "${nothing:}")
        void emptyPlaceholder() {}

        @DistributedLock(waitTime = 0)
        void tryOnce() {}

        @DistributedLock(name = "desk #1")
        void hash() {}

        @DistributedLock(mode = LockMode.READ)
        void read() {}

        @DistributedLock(maxWaiters = 0)
        void limit() {}

        @DistributedSemaphore(permits = 3)
        void permits() {}

        @DistributedSemaphore(
                name = "exports",
                permits = 5,
                weight = 2,
                lease = 40,
                waitTime = 4,
                maxHold = 60,
                minHold = 2,
                maxWaiters = 20,
                timeUnit = TimeUnit.SECONDS,
                onLost = OnLost.INTERRUPT)
        void allOfASemaphore() {}

        @DistributedSemaphore(name = "exports-${region}", permitsString = "${seven}", waitTimeString = "${wait}")
        void permitsInTexts() {}

        @Printers(weight = 3)
        void composed() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedSemaphore(name = "printers", permits = 4)
    @interface Printers {
        @AliasFor(annotation = DistributedSemaphore.class)
        int weight();
    }

    @SuppressWarnings("unused") // read by their names
    static class Rejected {

        private static final String HUNDRED = "aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaa"
                + "aaaaaaaaaabbbbbbbbbbaaaaaaaaaa";

        @DistributedLock(lease = 999_999, timeUnit = TimeUnit.NANOSECONDS)
        void leaseTooShort() {}

        @DistributedLock(maxWaiters = -1)
        void limitNegative() {}

        @DistributedLock(lease = -2)
        void leaseNegative() {}

        @DistributedLock(lease = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
        void leaseTooLong() {}

        @DistributedLock(leaseString = "0s")
        void leaseTextZero() {}

        @DistributedLock(leaseString = "${never}")
        void leaseTextWrong() {}

        @DistributedLock(lease = 5, leaseString = "5ms")
        void leaseTwice() {}

        @DistributedLock(waitTime = -1000, timeUnit = TimeUnit.MICROSECONDS)
        void waitNegative() {}

        @DistributedLock(waitTime = 5, waitTimeString = "${nothing:}")
        void waitTwice() {}

        @DistributedLock(waitTimeString = "${missing}")
        void waitUnresolved() {}

        @DistributedLock(maxHold = 0)
        void maxHoldZero() {}

        @DistributedLock(minHold = -1)
        void minHoldNegative() {}

        @DistributedLock(minHoldString = "2s", lease = 1000)
        void minHoldTooLong() {}

        @DistributedLock(name = "${missing}-orders")
        void nameUnresolved() {}

        @DistributedLock(name = " ")
        void nameBlank() {}

        @DistributedLock(name = HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED)
        void nameTooLong() {}

        @DistributedLock(name = "order-#a0")
        void namePosition(String id) {}

        @DistributedLock(name = "'order:' + #id")
        void nameVariable(String id) {}

        @DistributedLock(name = "order-#{id}")
        void nameTemplate(String id) {}

        @DistributedLock(name = "order:{id}")
        void nameBraces(String id) {}

        @DistributedLock(name = "order:${braces}")
        void namePlaceholder() {}

        @DistributedLock(name = "order:{id + 1}")
        void nameFormula(String id) {}

        @DistributedSemaphore(name = "order-{}", permits = 2)
        void namePattern() {}

        @DistributedLock(value = "'a'", key = "'b'")
        void keyAndValue() {}

        @DistributedLock(mode = LockMode.PERMIT)
        void permitMode() {}

        @DistributedLock(onLost = OnLost.INTERRUPT)
        CompletableFuture<String> interruptedFuture() {
            return null;
        }

        @DistributedLock(key = "#id")
        @DistributedLock(name = "Rejected.sameKeyTwice", key = "#id", waitTime = 0)
        void sameKeyTwice(String id) {}

        @DistributedLock(onNotGranted = OnNotGranted.SKIP)
        int skippedNumber() {
            return 1;
        }

        @DistributedLock(fallback = "plain", onNotGranted = OnNotGranted.SKIP)
        void contradiction() {}

        @DistributedSemaphore
        void noPermits() {}

        @DistributedSemaphore(permits = 1_000_000_000)
        void tooManyPermits() {}

        @DistributedSemaphore(permits = 3, permitsString = "3")
        void permitsTwice() {}

        @DistributedSemaphore(permits = 3, weight = 4)
        void tooHeavy() {}

        @DistributedSemaphore(permits = 3, weight = 0)
        void weightless() {}

        @DistributedSemaphore(permitsString = "${missing:}")
        void emptyPermits() {}

        @DistributedSemaphore(permitsString = "${exports.permits}", weight = 2)
        void placeholder() {}

        @DistributedLock(name = "exports")
        @DistributedSemaphore(name = "exports", permits = 3)
        void bothKinds() {}
    }
}
