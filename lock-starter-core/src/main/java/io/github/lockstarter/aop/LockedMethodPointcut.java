package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Searches for annotations but does not read them: at build time (AOT), placeholders cannot be resolved. */
final class LockedMethodPointcut extends StaticMethodMatcherPointcut {

    private final LockedMethodSource methods;

    LockedMethodPointcut(LockedMethodSource methods) {
        this.methods = methods;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return this.methods.find(method, targetClass) != null;
    }
}
