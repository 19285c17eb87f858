package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

/** Preparation of an application at build time (AOT), when properties have no values yet. */
class BuildTimeTest {

    @Test
    void shouldCreateTheProxyClass() {
        try (LockedContext context = LockedContext.prepare(processor -> {}, Orders.class)) {
            RuntimeHints hints = new RuntimeHints();

            context.refreshForAotProcessing(hints);

            assertThat(hints.reflection().typeHints())
                    .anyMatch(hint -> hint.getType()
                            .getName()
                            .startsWith(Orders.class.getName() + ClassUtils.CGLIB_CLASS_SEPARATOR));
        }
    }

    @Test
    void shouldRejectWhatAProxyCannotIntercept() {
        assertThat(LockedContext.rejection(() -> {
                    try (GenericApplicationContext context =
                            LockedContext.prepare(processor -> {}, FinalMethod.class)) {
                        context.refreshForAotProcessing(new RuntimeHints());
                    }
                }))
                .hasMessageContaining("a proxy cannot intercept a final method");
    }

    static class Orders {

        @DistributedLock(name = "${region}", leaseString = "${lease}")
        public void ship() {}
    }

    static class FinalMethod {

        @DistributedLock
        public final void run() {}
    }
}
