package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.registry.AttemptingRegistry;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * An application with the post-processor and a registry of real locks, in memory by default, whose calls are recorded.
 */
public final class LockedContext extends AnnotationConfigApplicationContext {

    /** Leases that are renewed often, and do not end because a thread waits for its turn on a busy machine. */
    private static final LockSettings LASTING = LockSettings.of(
            Duration.ofSeconds(10),
            OnLost.THROW,
            Duration.ofSeconds(15),
            Duration.ofMillis(300),
            null,
            Duration.ofSeconds(2),
            Duration.ofMillis(150),
            Duration.ofSeconds(10));

    /** The locks of the calls of methods. */
    public final LockCalls calls = new LockCalls();

    public final LeasingLockRegistry registry;

    private LockedContext(LockStore store, LockSettings settings) {
        this.registry = new LeasingLockRegistry(store, settings, null, List.of());
        registerBean(LockRegistry.class, () -> this.registry);
        registerBean(LockCalls.class, () -> this.calls);
    }

    public static LockedContext of(Class<?>... components) {
        return with(processor -> {}, components);
    }

    public static LockedContext ofInterfaceProxies(Class<?>... components) {
        return with(processor -> processor.setProxyTargetClass(false), components);
    }

    public static LockedContext with(Consumer<DistributedLockBeanPostProcessor> settings, Class<?>... components) {
        return prepare(settings, components).refreshed();
    }

    public static LockedContext with(LockSettings settings, Class<?>... components) {
        return on(new InMemoryLockStore(), settings, components);
    }

    public static LockedContext on(LockStore store, LockSettings settings, Class<?>... components) {
        return prepare(store, settings, processor -> {}, components).refreshed();
    }

    private LockedContext refreshed() {
        try {
            refresh();
            return this;
        } catch (RuntimeException ex) {
            close();
            throw ex;
        }
    }

    /** Returns a context that is not refreshed yet. */
    public static LockedContext prepare(Consumer<DistributedLockBeanPostProcessor> settings, Class<?>... components) {
        return prepare(new InMemoryLockStore(), LASTING, settings, components);
    }

    public static LockedContext prepare(
            LockStore store,
            LockSettings lockSettings,
            Consumer<DistributedLockBeanPostProcessor> settings,
            Class<?>... components) {
        LockedContext context = new LockedContext(store, lockSettings);
        context.registerBean(DistributedLockBeanPostProcessor.class, () -> {
            DistributedLockBeanPostProcessor processor =
                    new DistributedLockBeanPostProcessor(() -> context.calls.of(context.registry), lockSettings);
            processor.setProxyTargetClass(true);
            settings.accept(processor);
            return processor;
        });
        if (components.length > 0) {
            context.setClassLoader(components[0].getClassLoader());
            context.register(components);
        }
        return context;
    }

    public LockedContext property(String name, String value) {
        getEnvironment().getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, value)));
        return this;
    }

    public boolean isLocked(String lockName) {
        return this.registry.getLock(lockName).isLocked();
    }

    /** Runs the action while another owner holds the lock. */
    public void takenByAnother(String lockName, Runnable meanwhile) {
        try (Lease lease = this.registry.acquire(LockRequest.of(lockName))) {
            meanwhile.run();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    /** Returns the exception with which the application fails to start with these beans. */
    public static InvalidLockDefinitionException rejectionOf(Class<?>... components) {
        return rejection(() -> of(components).close());
    }

    public static InvalidLockDefinitionException rejection(Runnable start) {
        Throwable thrown = catchThrowable(start::run);
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidLockDefinitionException rejection) {
                assertStandsAlone(rejection);
                return rejection;
            }
        }
        throw new AssertionError("not rejected", thrown);
    }

    /** Spring Boot prints the remedy under a heading of its own, apart from the problem. */
    public static void assertStandsAlone(InvalidLockDefinitionException rejection) {
        assertThat(rejection.remedy())
                .as("a remedy begins with what to do, and names what it is about")
                .matches("(?s)[A-Z][a-z]+ .*\\.")
                .doesNotContainPattern("^(Its|In|One|Add one|They)\\b|^\\w+ (it|them|its|one of them|that)\\b");
    }

    /** Records the requests that blocking calls execute, and when their locks are granted and released. */
    public static final class LockCalls {

        public final List<String> events = new CopyOnWriteArrayList<>();

        public final List<LockRequest> requests = new CopyOnWriteArrayList<>();

        /** Whether the application has a registry of its own that delegates, in which each lock takes a round trip. */
        public boolean isDelegating;

        /** Whether the registry was obtained for a call. */
        public volatile boolean registryIsUsed;

        public LockRequest request() {
            return this.requests.get(this.requests.size() - 1);
        }

        LockRegistry of(LockRegistry registry) {
            this.registryIsUsed = true;
            return (LockRegistry) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {this.isDelegating ? LockRegistry.class : AttemptingRegistry.class},
                    (proxy, method, arguments) -> {
                        LockRequest request = method.getName().equals("execute") ? (LockRequest) arguments[0] : null;
                        try {
                            if (request != null) {
                                this.requests.add(request);
                                this.events.add("lock " + request.lockName());
                            }
                            return method.invoke(registry, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        } finally {
                            if (request != null) {
                                this.events.add("unlock " + request.lockName());
                            }
                        }
                    });
        }
    }
}
