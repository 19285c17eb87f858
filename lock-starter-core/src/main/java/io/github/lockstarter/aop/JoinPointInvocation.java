package io.github.lockstarter.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a join point of AspectJ to the invocation of an interceptor. Unlike that of a proxy, it can proceed
 * repeatedly.
 */
final class JoinPointInvocation implements MethodInvocation {

    private final ProceedingJoinPoint joinPoint;

    JoinPointInvocation(ProceedingJoinPoint joinPoint) {
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
