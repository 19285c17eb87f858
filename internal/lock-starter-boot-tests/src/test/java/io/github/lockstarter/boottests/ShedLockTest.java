package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.test.UseInMemoryLocks;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A task of ShedLock under a lock of ours. */
@SpringBootTest
@UseInMemoryLocks
class ShedLockTest {

    @Autowired
    private Job job;

    @Autowired
    private LockRegistry registry;

    @Test
    void shouldSkipATaskWhoseLockIsTaken() throws Exception {
        try (Lease other = this.registry.acquire(LockRequest.of("report"))) {
            this.job.report();
            assertThat(other.isHeld()).isTrue();
            assertThat(Job.runs).isZero();
        }

        this.job.report();

        assertThat(Job.runs).isOne();
    }

    static class Job {

        private static int runs;

        @SchedulerLock(name = "report", lockAtMostFor = "30s")
        public void report() {
            runs++;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    @Import(Job.class)
    static class Application {}
}
