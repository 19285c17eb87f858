package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** Tests that replace the registry, after the conditions of the beans that describe it have been evaluated. */
class MockedRegistryTest {

    private static final String[] OF_THE_REGISTRY = {
        "distributedLockEndpoint",
        "distributedLockEndpointWebExtension",
        "distributedLockHealthIndicator",
        "distributedLockGauges"
    };

    private static List<String> present(ApplicationContext context) {
        return List.of(OF_THE_REGISTRY).stream().filter(context::containsBean).toList();
    }

    @Nested
    @SpringBootTest(properties = "distributed-lock.store=memory")
    class Unreplaced {

        @Test
        void shouldDescribeTheRegistry(@Autowired ApplicationContext context) {
            assertThat(present(context)).containsExactly(OF_THE_REGISTRY);
        }
    }

    @Nested
    @SpringBootTest(properties = "distributed-lock.store=memory")
    class Mocked {

        @MockitoBean
        LockRegistry registry;

        @Test
        void shouldStartWithoutTheBeansThatDescribeTheRegistry(@Autowired ApplicationContext context) {
            assertThat(present(context)).isEmpty();
        }

        @Test
        void shouldRunAnAnnotatedMethodAsTheMockIsTold(@Autowired Orders orders) throws Throwable {
            Lease lease = Mockito.mock(Lease.class);
            given(lease.fencingToken()).willReturn(7L);
            given(this.registry.<Object, Throwable>execute(any(LockRequest.class), any()))
                    .willAnswer(call -> call.<LockedCallback<?, ?>>getArgument(1).run(lease));

            assertThat(orders.settle(new Order(new Order.Customer("ida"), 1))).isEqualTo(7);
        }
    }

    /** A registry of the application that is one and nothing else. */
    @Nested
    @SpringBootTest(properties = {"distributed-lock.store=memory", "distributed-lock.enabled=false"})
    class OfTheTest {

        @TestBean
        LockRegistry registry;

        static LockRegistry registry() {
            return Mockito.mock(LockRegistry.class);
        }

        @Test
        void shouldStartAndRunMethodsWithoutLocks(@Autowired ApplicationContext context, @Autowired Orders orders) {
            assertThat(present(context)).isEmpty();
            assertThat(orders.isFree("ida", 1)).isTrue();
        }
    }
}
