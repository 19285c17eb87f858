package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLockConnectionFactory;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.MethodParameter;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the beans with the qualifier {@link DistributedLockConnectionFactory} by the rules of the container: on a
 * class, on a factory method, or in a bean definition.
 */
final class MarkedConnectionFactories {

    private MarkedConnectionFactories() {}

    /** Returns the names of all of them. */
    static List<String> in(ConfigurableListableBeanFactory beanFactory) {
        DependencyDescriptor marked = new DependencyDescriptor(parameter(), false);
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                        beanFactory, RedisConnectionFactory.class, true, false))
                .filter(name -> beanFactory.isAutowireCandidate(name, marked))
                .toList();
    }

    /** Returns the name of the only one, or of the primary one of several, or {@code null} if there is none. */
    static @Nullable String onlyOneIn(ConfigurableListableBeanFactory beanFactory) {
        List<String> all = in(beanFactory);
        List<String> primary = all.size() < 2
                ? all
                : all.stream()
                        .filter(name -> beanFactory.containsBeanDefinition(name)
                                && beanFactory.getMergedBeanDefinition(name).isPrimary())
                        .toList();
        return primary.size() == 1 ? primary.get(0) : null;
    }

    private static MethodParameter parameter() {
        Method marked =
                ReflectionUtils.findMethod(MarkedConnectionFactories.class, "marked", RedisConnectionFactory.class);
        return MethodParameter.forExecutable(Objects.requireNonNull(marked), 0);
    }

    /** Never called; its parameter is the injection point that beans are compared with. */
    @SuppressWarnings("unused")
    private static void marked(@DistributedLockConnectionFactory RedisConnectionFactory factory) {}
}
