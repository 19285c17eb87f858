package io.github.lockstarter.aop.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Locks of methods in a JVM with the load-time weaver, observed by the keys in Redis. */
@RedisTest
class WeavingTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static List<String> lines;

    @BeforeAll
    static void runTheWorker(RedisServer redis) throws Exception {
        Path agent = Path.of(
                Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> weaving = List.of(
                "-javaagent:" + agent,
                "-Dorg.aspectj.weaver.loadtime.configuration=META-INF/aop.xml;META-INF/aop-tests.xml");
        try (WorkerJvm worker = WorkerJvm.start(weaving, WovenWorker.class, Integer.toString(redis.port()))) {
            worker.awaitLine(line -> line.equals("> the end: []"), LIMIT);
            lines = worker.lines();
        }
    }

    @Test
    void shouldLockCallsThatAProxyCannotIntercept() {
        assertThat(lines)
                .contains(
                        "> bean is a proxy: true",
                        "> self-invoked private: audited [lock:{order:42}] held 1 times by order:42",
                        "> static: [lock:{total}]",
                        "> final, composed, reentrant: [lock:{nightly}]",
                        "> repeated: [lock:{first}, lock:{second}]",
                        "> condition met: 6 [lock:{count}]",
                        "> condition not met: 5 []",
                        "> private with a fallback: closed, for LockNotGrantedException",
                        "> static with a fallback: closed for 1, for LockNotGrantedException",
                        "> of a class: [other:{invoices}], copied [other:{invoices}]",
                        "> not public in that class: []",
                        "> of Object in that class: []");
    }

    @Test
    void shouldNameInheritedLocksAsProxiesDoAndAcquireOneForAnOverride() {
        assertThat(lines).contains("> inherited: [lock:{Orders.close}]", "> calls super: [lock:{Orders.open}] opened");
    }

    @Test
    void shouldAcquirePermitsAndReaders() {
        assertThat(lines)
                .contains(
                        "> permits of a private method: [lock:{printers}] 1 left",
                        "> permits and a reader: [lock:{book}, lock:{editors}] 1 by book");
    }

    @Test
    void shouldHoldTheLockUntilTheWorkIsComplete() {
        assertThat(lines)
                .containsSubsequence(
                        "> future returned: [lock:{later}]",
                        "> future complete: done",
                        "> reactive: [lock:{reactive}]",
                        "> afterwards: []");
    }

    @Test
    void shouldBeOutsideOfWovenTransactionsAndInsideOfAsynchronousCalls() {
        assertThat(lines)
                .contains("> asynchronous: [lock:{mail}] by mail")
                .containsSubsequence(
                        "begin [lock:{account}]",
                        "paying [lock:{account}]",
                        "commit [lock:{account}]",
                        "> in a transaction: paid");
    }

    @Test
    void shouldProceedWithOtherWovenAdviceOnAnyThread() {
        assertThat(lines)
                .containsSubsequence(
                        "begin [lock:{account}]",
                        "paying later [lock:{account}]",
                        "commit [lock:{account}]",
                        "> reactive in a transaction: [lock:{account}] paid");
    }

    @Test
    void shouldRunWithoutLocksIfDisabledAndLogTheMethods() {
        assertThat(lines)
                .contains(
                        "> disabled: []",
                        "> private and disabled: []",
                        "> static and disabled: []",
                        "> of a class that is disabled: [], copied []")
                .filteredOn(line -> line.contains("run WITHOUT their lock or permits"))
                .singleElement()
                .asString()
                .contains(" WARN ", "distributed-lock.enabled=false")
                .contains(Orders.class.getName() + ".book", Orders.class.getName() + ".total")
                .contains(Invoices.class.getName() + ".print", LeftOut.class.getName() + ".run");
    }

    @Test
    void shouldAcquireTheLocksOfItsOwnApplication() {
        assertThat(lines)
                .contains(
                        "prepared [other:{invoices}]",
                        "> first of two: audited [lock:{order:1}] held 1 times by order:1",
                        "> second of two: audited [other:{order:1}] held 1 times by order:1",
                        "> one of one: [lock:{total}]");
    }

    @Test
    void shouldNeverRunWithoutItsLock() {
        String method = "LockException: Lock of " + Orders.class.getName()
                + ".total() is not acquired, and the method was not run: ";
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).startsWith("> too early: " + method + "no application context"))
                .anySatisfy(line ->
                        assertThat(line).startsWith("> none of two: " + method + "2 application contexts are open"))
                .anySatisfy(line -> assertThat(line).startsWith("> too late: " + method + "no application context"));
    }

    @Test
    void shouldRejectMethodsThatAreNotWoven() {
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("> rejected: InvalidLockDefinitionException: @DistributedLock on "
                                + LeftOut.class.getName() + ".run(): ")
                        .contains("the method has not been woven", "aop.xml"));
    }

    @Test
    void shouldNotAffectApplicationsWithProxies() {
        assertThat(lines)
                .contains(
                        "prepared []",
                        "> by proxy: [proxy:{invoices}], copied [proxy:{invoices}]",
                        "> self-invoked behind a proxy: []",
                        "> static without an application that weaves: []");
    }
}
