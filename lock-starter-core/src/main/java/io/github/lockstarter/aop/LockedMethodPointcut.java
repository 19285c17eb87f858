package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockedMethods;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches locked methods. Looks for annotations only: at build time (AOT) their placeholders cannot be resolved. */
final class LockedMethodPointcut extends StaticMethodMatcherPointcut {

    private final LockedMethods methods;

    LockedMethodPointcut(LockedMethods methods) {
        this.methods = methods;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return this.methods.find(method, targetClass) != null;
    }
}
