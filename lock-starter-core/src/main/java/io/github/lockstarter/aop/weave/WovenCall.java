package io.github.lockstarter.aop.weave;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/** A call of a woven method, as the interceptor knows calls. Unlike those of proxies, it can go on more than once. */
final class WovenCall implements MethodInvocation {

    private final ProceedingJoinPoint joinPoint;

    WovenCall(ProceedingJoinPoint joinPoint) {
        this.joinPoint = joinPoint;
    }

    @Override
    public Method getMethod() {
        return ((MethodSignature) this.joinPoint.getSignature()).getMethod();
    }

    @Override
    public @Nullable Object[] getArguments() {
        return this.joinPoint.getArgs();
    }

    @Override
    public @Nullable Object getThis() {
        return this.joinPoint.getTarget();
    }

    @Override
    public AccessibleObject getStaticPart() {
        return getMethod();
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        return this.joinPoint.proceed();
    }
}
