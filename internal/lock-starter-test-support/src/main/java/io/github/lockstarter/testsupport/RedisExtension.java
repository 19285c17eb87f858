package io.github.lockstarter.testsupport;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** See {@link RedisTest}. */
public final class RedisExtension implements BeforeEachCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(RedisExtension.class);

    /** What a constructor asks for is made for, and closed after, each test method. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        fixture(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == RedisServer.class || type == RedisCli.class || type == FaultProxy.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        RedisFixture fixture = fixture(context);
        if (type == RedisServer.class) {
            return fixture.server();
        }
        if (type == FaultProxy.class) {
            return fixture.proxy();
        }
        // JUnit closes what is in the store
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        parameter.getParameter(), key -> fixture.server().cli(), RedisCli.class);
    }

    /** Cleaned up once per test, by whichever comes first: the constructor's parameters or {@link #beforeEach}. */
    private static RedisFixture fixture(ExtensionContext context) {
        Store root = context.getRoot().getStore(NAMESPACE);
        RedisFixture fixture = root.computeIfAbsent(RedisFixture.class, key -> new RedisFixture(), RedisFixture.class);
        context.getStore(NAMESPACE).computeIfAbsent("reset for " + context.getUniqueId(), key -> {
            fixture.reset();
            return true;
        });
        return fixture;
    }
}
