package io.github.lockstarter.leader;

import io.github.lockstarter.named.AnnotatedLock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.CollectionUtils;

/** All annotations of the context: which beans and methods belong to which role. Thread-safe. */
final class LeaderAnnotations {

    private final ConcurrentMap<Class<?>, LeaderSite> sites = new ConcurrentHashMap<>();

    /** The roles of methods of beans that exist. */
    private final Set<String> roles = ConcurrentHashMap.newKeySet();

    private final Set<String> processed = ConcurrentHashMap.newKeySet();

    private final Supplier<List<AnnotatedLock>> locks;

    /** The lifecycle beans of each role in the order of their phases; set by {@link #check}. */
    private volatile Map<String, List<SmartLifecycle>> lifecycle = Map.of();

    /**
     * Creates annotations of no bean.
     *
     * @param locks the annotated locks of the context
     */
    LeaderAnnotations(Supplier<List<AnnotatedLock>> locks) {
        this.locks = locks;
    }

    /** Returns the annotations of a class of a bean, which may be a generated one. */
    LeaderSite site(Class<?> generated) {
        Class<?> type = ClassUtils.getUserClass(generated);
        LeaderSite known = this.sites.get(type);
        return known != null ? known : this.sites.computeIfAbsent(type, LeaderSite::of);
    }

    /** Notes a bean with annotations that calls pass through. */
    void addProcessed(String beanName, LeaderSite site, @Nullable ConfigurableListableBeanFactory beans) {
        this.processed.add(beanName);
        site.checkCallbacks(callbacks(beanName, beans));
        site.methods().values().forEach(method -> this.roles.add(resolve(method.role(), site.type(), beans)));
    }

    /**
     * Returns the methods that the definition of a bean names as callbacks. That of a factory describes the factory.
     */
    private static Set<String> callbacks(String beanName, @Nullable ConfigurableListableBeanFactory beans) {
        Set<String> names = new HashSet<>();
        if (beans != null
                && beans.containsBeanDefinition(beanName)
                && !beans.isFactoryBean(beanName)
                && beans.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition) {
            CollectionUtils.mergeArrayIntoCollection(definition.getInitMethodNames(), names);
            CollectionUtils.mergeArrayIntoCollection(definition.getDestroyMethodNames(), names);
        }
        return names;
    }

    /** Returns the role with its placeholders replaced. */
    static String resolve(String written, Class<?> type, @Nullable ConfigurableListableBeanFactory beans) {
        String role = beans != null ? beans.resolveEmbeddedValue(written) : written;
        if (role == null || !LeaderProperties.isName(role)) {
            throw LeaderElections.invalid(
                    "@LeaderOnly on " + type.getName() + " names the role '" + role + "'.",
                    "Name a role of letters, digits, - and _, at most 100.");
        }
        return role;
    }

    List<SmartLifecycle> lifecycleBeans(String role) {
        return this.lifecycle.getOrDefault(role, List.of());
    }

    /** Checks all beans, and returns the roles that their annotations name. */
    Set<String> check(ConfigurableListableBeanFactory beans) {
        checkCreation(beans);
        Map<String, List<SmartLifecycle>> found = new HashMap<>();
        for (String name : beans.getBeanNamesForType(SmartLifecycle.class, false, false)) {
            LeaderOnly annotation = beans.findAnnotationOnBean(name, LeaderOnly.class);
            if (annotation != null) {
                SmartLifecycle bean = beans.getBean(name, SmartLifecycle.class);
                if (!this.processed.contains(name)) {
                    // An object that was registered in place of the bean, such as a mock, starts and stops with
                    // nothing.
                    continue;
                }
                String role = resolve(annotation.value(), AopUtils.getTargetClass(bean), beans);
                List<SmartLifecycle> all = found.computeIfAbsent(role, any -> new ArrayList<>());
                checkLifecycle(role, bean, all);
                all.add(bean);
            }
        }
        found.values().forEach(all -> all.sort(Comparator.comparingInt(Phased::getPhase)));
        this.lifecycle = found;
        Set<String> all = new TreeSet<>(this.roles);
        all.addAll(found.keySet());
        return all;
    }

    private static void checkLifecycle(String role, SmartLifecycle bean, List<SmartLifecycle> others) {
        String type = AopUtils.getTargetClass(bean).getName();
        for (SmartLifecycle other : others) {
            String otherType = AopUtils.getTargetClass(other).getName();
            if (!otherType.equals(type)) {
                throw LeaderElections.invalid(
                        "The leader role '" + role + "' is on two classes, " + otherType + " and " + type
                                + ", so that the order of their starts is not defined.",
                        "Use two roles, or let one of the classes start and stop the other.");
            }
        }
        if (bean.isRunning()) {
            throw LeaderElections.invalid(
                    "The bean of " + type + " runs before the leader role '" + role + "' is granted.",
                    "Start the work in its method start(), which is called when the role is granted, and let isRunning()"
                            + " return false before.");
        }
    }

    /** A role and a lock of one name would look as if they excluded each other. */
    void checkLocks(Collection<String> names) {
        for (AnnotatedLock lock : this.locks.get()) {
            String name = lock.request().name();
            String role = name.startsWith(LeaderProperties.LOCK_PREFIX)
                    ? name.substring(LeaderProperties.LOCK_PREFIX.length())
                    : name;
            if (names.contains(role)) {
                throw LeaderElections.invalid(
                        "The lock '" + name + "' of " + lock.method() + " has the name of the leader role '" + role
                                + "', and they do not exclude each other.",
                        "Rename one of them, or use @LeaderOnly(\"" + role + "\") on the method.");
            }
        }
    }

    private void checkCreation(ConfigurableListableBeanFactory beans) {
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null
                    && !this.processed.contains(name)
                    && !site(AopUtils.getTargetClass(bean)).isEmpty()
                    && wasCreated(beans, name)) {
                throw LeaderElections.invalid(
                        "The bean '" + name
                                + "' with @LeaderOnly was created too early to be restricted to the leader.",
                        "Inject the bean as ObjectProvider or @Lazy into the BeanPostProcessor or BeanFactoryPostProcessor"
                                + " that depends on it, and declare @Bean methods of such processors static.");
            }
        }
    }

    /** Returns false for an object that was registered in place of the bean, such as a mock. */
    private static boolean wasCreated(ConfigurableListableBeanFactory beans, String name) {
        DirectFieldAccessor fields = new DirectFieldAccessor(beans.getMergedBeanDefinition(name));
        return fields.isReadableProperty("postProcessed")
                && Boolean.TRUE.equals(fields.getPropertyValue("postProcessed"));
    }
}
