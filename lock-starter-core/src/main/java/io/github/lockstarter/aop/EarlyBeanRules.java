package io.github.lockstarter.aop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Rejects beans with locked methods that were created before the post-processor, because another post-processor needs
 * them: Spring only logs this, and the methods would run without their lock.
 */
final class EarlyBeanRules {

    private final Set<String> processed = ConcurrentHashMap.newKeySet();

    /** Notes a bean that the post-processor has received. */
    void addProcessed(String beanName) {
        this.processed.add(beanName);
    }

    /** Checks all singletons that exist when the application has started. */
    void check(ConfigurableListableBeanFactory beans, BiFunction<Object, String, List<LockedMethod>> methodsOfBean) {
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null && !this.processed.contains(name)) {
                List<LockedMethod> methods = methodsOfBean.apply(bean, name);
                if (!methods.isEmpty() && !AdvisorChain.locks(bean) && wasCreated(beans, name)) {
                    throw tooEarly(methods.get(0), name, beans.getDependentBeans(name));
                }
            }
        }
    }

    /**
     * Returns false for an object that was registered in place of the bean, such as a mock. Only a field of the bean
     * definition reveals that; if it cannot be read, the bean counts as registered.
     */
    private static boolean wasCreated(ConfigurableListableBeanFactory beans, String name) {
        BeanDefinition definition = beans.getMergedBeanDefinition(name);
        DirectFieldAccessor fields = new DirectFieldAccessor(definition);
        return fields.isReadableProperty("postProcessed")
                && Boolean.TRUE.equals(fields.getPropertyValue("postProcessed"));
    }

    private static RuntimeException tooEarly(LockedMethod method, String beanName, String[] dependents) {
        String reason = dependents.length > 0 ? ", needed by " + String.join(", ", dependents) : "";
        return method.site()
                .rejection(
                        "the bean '" + beanName + "' was created too early for its methods to be locked" + reason,
                        "A BeanPostProcessor or BeanFactoryPostProcessor depends on it, possibly through other beans. Inject"
                                + " it there as ObjectProvider or @Lazy, and declare @Bean methods of such processors"
                                + " static.");
    }
}
