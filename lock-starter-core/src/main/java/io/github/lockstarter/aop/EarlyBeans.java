package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockedType;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds beans that were made before locks could be put around their methods, because a post-processor needs them. Spring
 * says so at INFO or WARN and goes on; their methods would run without their lock.
 */
final class EarlyBeans {

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** The bean came by in time. */
    void seen(String beanName) {
        this.seen.add(beanName);
    }

    void refuse(ConfigurableListableBeanFactory beans, BiFunction<Object, String, LockedType> typeOf) {
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null && !this.seen.contains(name)) {
                LockedType type = typeOf.apply(bean, name);
                if (type.isLocked() && !AdvisorChain.locks(bean) && wasMade(beans, name)) {
                    throw early(type, name, beans.getDependentBeans(name));
                }
            }
        }
    }

    /** And not put in its place as it is, as mocks are. No method tells; unreadable, it counts as put there. */
    private static boolean wasMade(ConfigurableListableBeanFactory beans, String name) {
        BeanDefinition definition = beans.getMergedBeanDefinition(name);
        DirectFieldAccessor fields = new DirectFieldAccessor(definition);
        return fields.isReadableProperty("postProcessed")
                && Boolean.TRUE.equals(fields.getPropertyValue("postProcessed"));
    }

    private static RuntimeException early(LockedType type, String name, String[] dependents) {
        String reason = dependents.length > 0 ? ", needed by " + String.join(", ", dependents) : "";
        return type.methods()
                .get(0)
                .site()
                .refused(
                        "the bean '" + name + "' was made too early to get a lock around its methods" + reason,
                        "A BeanPostProcessor or BeanFactoryPostProcessor needs it, itself or by way of others: have it"
                                + " injected there as ObjectProvider or @Lazy, and make @Bean methods of such processors"
                                + " static.");
    }
}
