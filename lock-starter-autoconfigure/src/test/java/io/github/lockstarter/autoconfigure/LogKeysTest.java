package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Whether messages contain keys is decided by each application context. */
class LogKeysTest {

    private final ApplicationContextRunner inMemory = TestContexts.inMemory().withBean(Orders.class);

    private final ApplicationContextRunner hidingKeys =
            this.inMemory.withPropertyValues("distributed-lock.log-keys=false");

    static class Orders {
        @DistributedLock(name = "order", key = "#id")
        public void ship(String id) {}
    }

    @Test
    void shouldDifferBetweenTwoContexts() {
        this.hidingKeys.run(hiding -> this.inMemory.run(showing -> {
            assertThat(messageOfAnInterrupt(hiding))
                    .matches("(?s).*order:#[0-9a-f]{8}'.*")
                    .doesNotContain("alice");
            assertThat(messageOfAnInterrupt(showing)).contains("'order:alice'");
            assertThat(messageOfAMisuse(hiding)).contains("'order:#").doesNotContain("alice");
            assertThat(messageOfAMisuse(showing)).contains("'order:alice'");
        }));
    }

    @Test
    void shouldReachTheStore() {
        RedisServer gone = RedisServer.start();
        gone.close();
        TestContexts.application(gone)
                .withPropertyValues("distributed-lock.wait-time=0", "distributed-lock.log-keys=false")
                .withBean(Orders.class)
                .run(context -> assertThat(catchThrowable(
                                () -> context.getBean(Orders.class).ship("alice")))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("'order:#")
                        .hasMessageNotContaining("alice"));
    }

    private static String messageOfAnInterrupt(ApplicationContext context) {
        Thread.currentThread().interrupt();
        try {
            Throwable thrown =
                    catchThrowable(() -> context.getBean(Orders.class).ship("alice"));
            assertThat(thrown).isInstanceOf(LockInterruptedException.class);
            return thrown.getMessage();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    private static String messageOfAMisuse(ApplicationContext context) {
        return catchThrowable(() -> context.getBean(LockRegistry.class)
                        .getLock("order:alice")
                        .unlock())
                .getMessage();
    }
}
