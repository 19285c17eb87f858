package io.github.lockstarter.testsupport;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** See {@link TopologyTest}. */
public final class TopologyExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(TopologyExtension.class);

    /** What a constructor asks for is healed before each test method. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == RedisCluster.class || type == RedisSentinels.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RedisCluster.class
                ? shared(context, RedisCluster.class, RedisCluster::start, RedisCluster::heal)
                : shared(context, RedisSentinels.class, RedisSentinels::start, RedisSentinels::heal);
    }

    /** One for the whole run, at whose end JUnit closes it; healed once per test. */
    private static <T> T shared(ExtensionContext context, Class<T> type, Supplier<T> start, Consumer<T> heal) {
        T topology = context.getRoot().getStore(NAMESPACE).computeIfAbsent(type, key -> start.get(), type);
        context.getStore(NAMESPACE).computeIfAbsent(type + " for " + context.getUniqueId(), key -> {
            heal.accept(topology);
            return true;
        });
        return topology;
    }
}
