package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.InMemoryLockStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** A slice of an application with annotated beans: what it needs, and what its users must do for it. */
class SliceTest {

    /** Nothing: it starts without Redis, and annotated methods run as if they carried no annotation. */
    @Nested
    @JsonTest
    @Import(Desk.class)
    class AsItIs {

        @Test
        void shouldRunWithoutLocks(
                @Autowired Desk desk,
                @Autowired ApplicationContext context,
                @Autowired ObjectProvider<LockRegistry> r) {
            assertThat(desk.greet()).isEqualTo("hello");
            assertThat(r.getIfAvailable()).isNull();
            assertThat(context.containsBean("redisConnectionFactory")).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(desk::token)
                    .withMessageContaining("distributed-lock.enabled=false");
        }
    }

    /** One annotation and one property, for beans that ask for the registry or for their lease. */
    @Nested
    @JsonTest(properties = "distributed-lock.store=memory")
    @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
    @Import(Desk.class)
    class WithLocks {

        @Test
        void shouldLockInMemory(@Autowired Desk desk, @Autowired ApplicationContext context) {
            assertThat(desk.token()).isPositive();
            assertThat(context.getBean(InMemoryLockStore.class)).isNotNull();
            assertThat(context.containsBean("redisConnectionFactory")).isFalse();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    static class Desk {

        @DistributedLock
        String greet() {
            return "hello";
        }

        @DistributedLock
        long token() {
            return LeaseContext.required().fencingToken();
        }
    }
}
