package io.github.lockstarter.docstests.names;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.wait-time",
                "distributed-lock.wait-time=5s",
                "distributed-lock.watchdog.*",
                "distributed-lock.",
                "distributed-lock.locks.<name>.…",
                "distributed-lock.locks.[TicketOffice.sell].wait-time",
                "distributed-lock.locks.event.max-hold",
                "management.health.distributed-lock.enabled=false",
                "lock-starter.jar"
            })
    void shouldAcceptProperties(String name) {
        assertThat(problems(new PropertyNames(), "As `" + name + "`")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.wait-tiem",
                "distributed-lock.watchdg.*",
                "distributed-lock.locks.event.wait-tme",
                "distributed-lock.wait"
            })
    void shouldReportOtherProperties(String name) {
        assertThat(problems(new PropertyNames(), "As `" + name + "`")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed.lock.acquire",
                "distributed.lock.watchdog.lag",
                "distributed.lock.acquisition",
                "distributed.lock.holder",
                "distributed.lock.*",
                "distributed_lock_acquire_seconds_count",
                "rate(distributed_lock_lost_total[5m])"
            })
    void shouldAcceptMeters(String name) {
        assertThat(problems(new MeterNames(), "As `" + name + "`")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed.lock.aquire", "distributed_lock_lost_amount", "distributed.lock.watch.*"})
    void shouldReportOtherMeters(String name) {
        assertThat(problems(new MeterNames(), "As `" + name + "`")).hasSize(1);
        assertThat(problems(new MeterNames(), "```promql\nsum(" + name + ")\n```"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LockRegistry",
                "@DistributedLock",
                "@DistributedLock(name = \"order\")",
                "LeaseContext.required()",
                "Lease.State",
                "CompletableFuture.cancel",
                "GrafanaDashboardTest",
                "RLock",
                "Integer.MAX_VALUE - 100",
                "tryLock()",
                "lease.extend(time)",
                "GET /actuator/locks",
                "Lock 'a' is held",
                "Fencing-Token",
                "SimpleClassName.methodName",
                "LossReason.DELETED",
                "DistributedLock.waitTime"
            })
    void shouldAcceptCode(String name) {
        assertThat(problems(new CodeNames(), "As `" + name + "`")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LockRegsitry",
                "@DistributedLok",
                "LeaseContext.require()",
                "lease.extendd(time)",
                "LossReason.NONE"
            })
    void shouldReportOtherCode(String name) {
        assertThat(problems(new CodeNames(), "As `" + name + "`")).hasSize(1);
        assertThat(problems(
                        new CodeNames(),
                        "As `" + name + "`\n\n```java\nLockRegsitry DistributedLok require extendd NONE\n```"))
                .isEmpty();
    }

    @Test
    void shouldKnowTheWordsOfTheProjectAndOfThePage() {
        String page =
                "As `waitTime`, `GET /actuator/locks`, `handoff.max-time`, `./mvnw -Pservers -Dlock.test.servers=a`"
                        + " and `spring.data.redis.host` of\n"
                        + "`RLock`: `forceUnlockAsync()`";

        assertThat(problems(new Words(), page)).isEmpty();
        assertThat(problems(new Words(), page.replace("waitTime", "waitTiem"))).hasSize(1);
        assertThat(problems(new Words(), page.replace("locks", "lokcs"))).hasSize(1);
        assertThat(problems(new Words(), page.replace("data", "daat"))).hasSize(1);
        assertThat(problems(new Words(), page.replace("RLock", "Lock"))).hasSize(1);
        assertThat(problems(new Words(), "`waitTiem` \n\n```text\nwaitTiem\n```"))
                .isEmpty();
    }
}
