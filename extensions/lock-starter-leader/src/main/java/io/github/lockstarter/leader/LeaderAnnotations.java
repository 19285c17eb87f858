package io.github.lockstarter.leader;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.GuardingBeanPostProcessor;
import io.github.lockstarter.named.AnnotatedLock;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;

/**
 * All annotations of the context: which beans and methods belong to which role. Guards them with proxies, outside of
 * locks. Thread-safe.
 */
@SuppressWarnings("serial")
final class LeaderAnnotations extends GuardingBeanPostProcessor<LeaderMethod>
        implements GuardingBeanPostProcessor.Methods<LeaderMethod> {

    private final ConcurrentMap<Class<?>, Map<Method, LeaderMethod>> byClass = new ConcurrentHashMap<>();

    /** The roles of methods of beans that exist. */
    private final Set<String> roles = ConcurrentHashMap.newKeySet();

    private final Supplier<List<AnnotatedLock>> locks;

    /** The lifecycle beans of each role in the order of their phases; set by {@link #check}. */
    private volatile Map<String, List<SmartLifecycle>> lifecycle = Map.of();

    /**
     * Creates the annotations of a context, of no bean yet.
     *
     * @param locks the annotated locks of the context
     * @param elections called at the first call of a guarded method
     * @param onLost what applies to methods whose annotation does not set it
     */
    LeaderAnnotations(Supplier<List<AnnotatedLock>> locks, Supplier<LeaderElections> elections, OnLost onLost) {
        this.locks = locks;
        this.guard.setAdvice(new LeaderInterceptor(this, elections, onLost));
    }

    /** Sets the order of the role among the advisors of a proxy, and of this post-processor. */
    @Override
    public void setOrder(int order) {
        super.setOrder(order);
        this.guard.setOrder(order);
    }

    @Override
    protected Methods<LeaderMethod> methods() {
        return this;
    }

    @Override
    public @Nullable LeaderMethod find(Method called, @Nullable Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass != null ? targetClass : called.getDeclaringClass());
        LeaderMethod found = byMethod(type).get(AopUtils.getMostSpecificMethod(called, type));
        // A target may lack the method, such as that of a repository.
        return found != null ? found : byMethod(called.getDeclaringClass()).get(called);
    }

    @Override
    public List<LeaderMethod> methodsOf(Class<?> targetClass) {
        return List.copyOf(byMethod(ClassUtils.getUserClass(targetClass)).values());
    }

    @Override
    public List<LeaderMethod> methodsOf(@Nullable Class<?> targetClass, Class<?>[] proxiedInterfaces) {
        List<LeaderMethod> all = new ArrayList<>();
        if (targetClass != null) {
            all.addAll(methodsOf(targetClass));
        }
        for (Class<?> type : proxiedInterfaces) {
            if (targetClass == null || !type.isAssignableFrom(targetClass)) {
                all.addAll(methodsOf(type));
            }
        }
        return all;
    }

    private Map<Method, LeaderMethod> byMethod(Class<?> type) {
        Map<Method, LeaderMethod> known = this.byClass.get(type);
        return known != null ? known : this.byClass.computeIfAbsent(type, LeaderMethod::of);
    }

    @Override
    protected void addGuarded(List<LeaderMethod> methods) {
        methods.stream().filter(method -> !method.classLevel).map(this::roleOf).forEach(this.roles::add);
    }

    /** Returns the role of a method with its placeholders replaced. */
    String roleOf(LeaderMethod method) {
        String role = this.beans.resolveEmbeddedValue(method.role);
        if (role == null || !LeaderProperties.isName(role)) {
            throw LeaderElections.invalid(
                    "@LeaderOnly on " + method.site.beanClass().getName() + " names the role '" + role + "'.",
                    "Name a role of letters, digits, - and _, at most 100.");
        }
        return role;
    }

    List<SmartLifecycle> lifecycleBeans(String role) {
        return this.lifecycle.getOrDefault(role, List.of());
    }

    /** Checks all beans, and returns the roles that their annotations name. */
    Set<String> check(ConfigurableListableBeanFactory beans) {
        Map<String, List<SmartLifecycle>> found = new HashMap<>();
        for (String name : beans.getBeanNamesForType(SmartLifecycle.class, false, false)) {
            if (beans.findAnnotationOnBean(name, LeaderOnly.class) == null) {
                continue;
            }
            SmartLifecycle bean = beans.getBean(name, SmartLifecycle.class);
            // An object that was registered in place of the bean, such as a mock, starts and stops with nothing.
            List<LeaderMethod> methods = isGuarded(bean) ? methodsOf(AopUtils.getTargetClass(bean)) : List.of();
            methods.stream().filter(method -> method.classLevel).findFirst().ifPresent(any -> {
                String role = roleOf(any);
                List<SmartLifecycle> all = found.computeIfAbsent(role, absent -> new ArrayList<>());
                checkLifecycle(role, bean, all);
                all.add(bean);
            });
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
}
