package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class UseInMemoryLocksTest {

    @SpringBootTest(classes = Application.class, properties = "spring.data.redis.port=1")
    @UseInMemoryLocks
    abstract static class InMemory {

        @Autowired
        private LockStore store;

        @Autowired
        private Job job;

        @Test
        void shouldLockInMemory() {
            assertThat(this.store).isInstanceOf(InMemoryLockStore.class);
            assertThat(this.job.run()).isPositive();
        }
    }

    @Nested
    class Inherited extends InMemory {}

    @Nested
    @SpringBootTest(properties = "distributed-lock.store=redis", classes = Application.class)
    class InsteadOfTheStoreOfTheTest extends InMemory {}

    /** A slice has no auto-configuration of locks. */
    @Nested
    @SpringBootTest(classes = Slice.class)
    class InASlice extends InMemory {}

    static class Job {

        @DistributedLock(name = "job")
        public long run() {
            return LeaseContext.required().fencingToken();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import(Job.class)
    static class Slice {}
}
