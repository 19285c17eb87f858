package io.github.lockstarter.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Fails the test during which an inversion was found. Does nothing without {@link CheckLockOrder}. */
public final class LockOrderListener extends AbstractTestExecutionListener {

    @Override
    public void afterTestMethod(TestContext test) {
        check(test);
    }

    @Override
    public void afterTestClass(TestContext test) {
        check(test);
    }

    private static void check(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), CheckLockOrder.class)
                && test.hasApplicationContext()) {
            test.getApplicationContext().getBean(LockOrder.class).throwInversion();
        }
    }
}
