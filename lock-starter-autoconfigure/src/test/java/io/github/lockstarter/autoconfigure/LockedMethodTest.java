package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.Order;

/** What the properties do to annotated methods. */
@ExtendWith(OutputCaptureExtension.class)
class LockedMethodTest {

    private final ApplicationContextRunner application = TestContexts.application()
            .withPropertyValues("distributed-lock.store=memory")
            .withBean(Accounts.class, SavingsAccounts::new);

    @Test
    void shouldRunUnderItsLock() {
        this.application.run(
                context -> assertThat(context.getBean(Accounts.class).lock()).isEqualTo("SavingsAccounts.lock"));
    }

    @Test
    void shouldProxyClassesUnlessToldOtherwise() {
        this.application.run(context -> assertThat(AopUtils.isCglibProxy(context.getBean(Accounts.class)))
                .isTrue());
        this.application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Accounts.class)))
                        .isTrue());
    }

    @Test
    void shouldRunWithoutLockWhenSwitchedOffAndSaySo(CapturedOutput output) {
        this.application.withPropertyValues("distributed-lock.enabled=false").run(context -> {
            assertThat(context.getBean(Accounts.class).lock()).isEqualTo("none");
            assertThat(context.getBean(LockRegistry.class).getLock("orders").isLocked())
                    .isFalse();
        });

        assertThat(output.getOut().lines().filter(line -> line.contains("WARN") && line.contains("distributed-lock")))
                .singleElement()
                .asString()
                .contains("distributed-lock.enabled=false", "SavingsAccounts.lock");
    }

    @Test
    void shouldTakeItsPlaceAmongOtherAdvice() {
        ApplicationContextRunner advised = this.application.withBean(Probe.class);

        advised.run(context ->
                assertThat(context.getBean(Accounts.class).lock()).isEqualTo("SavingsAccounts.lock, inside the probe"));
        advised.withPropertyValues("distributed-lock.aspect.order=99")
                .run(context -> assertThat(context.getBean(Accounts.class).lock())
                        .isEqualTo("SavingsAccounts.lock, outside the probe"));
    }

    @Test
    void shouldRunUnderTheLockOfTheParentContext() {
        TestContexts.inMemory()
                .run(parent -> this.application.withParent(parent).run(context -> {
                    assertThat(context.getBean(Accounts.class).lock()).isEqualTo("SavingsAccounts.lock");
                    assertThat(context.getBean(LockRegistry.class)).isSameAs(parent.getBean(LockRegistry.class));
                }));
    }

    interface Accounts {

        String lock();
    }

    static class SavingsAccounts implements Accounts {

        @DistributedLock
        @Override
        public String lock() {
            return LeaseContext.current().map(lease -> lease.name()).orElse("none");
        }
    }

    @Aspect
    @Order(100)
    static class Probe {

        @Around("execution(* io.github.lockstarter.autoconfigure.LockedMethodTest.Accounts.lock())")
        Object lookForALease(ProceedingJoinPoint call) throws Throwable {
            boolean outside = LeaseContext.current().isPresent();
            return call.proceed() + ", " + (outside ? "outside" : "inside") + " the probe";
        }
    }
}
