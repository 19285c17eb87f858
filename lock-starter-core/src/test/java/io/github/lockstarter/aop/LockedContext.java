package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.engine.LockSettings;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** An application with the post-processor and a registry that records its calls. */
public final class LockedContext extends AnnotationConfigApplicationContext {

    public final RecordingRegistry registry = new RecordingRegistry();

    private LockSettings settings = LockSettings.of(Duration.ofSeconds(30));

    private LockedContext() {}

    public static LockedContext of(Class<?>... components) {
        return with(processor -> {}, components);
    }

    public static LockedContext ofInterfaceProxies(Class<?>... components) {
        return with(processor -> processor.setProxyTargetClass(false), components);
    }

    public static LockedContext with(Consumer<DistributedLockBeanPostProcessor> settings, Class<?>... components) {
        return refreshed(prepare(settings, components));
    }

    private static LockedContext refreshed(LockedContext context) {
        try {
            context.refresh();
            return context;
        } catch (RuntimeException ex) {
            context.close();
            throw ex;
        }
    }

    public static LockedContext with(LockSettings settings, Class<?>... components) {
        LockedContext context = prepare(processor -> {}, components);
        context.settings = settings;
        return refreshed(context);
    }

    /** Returns a context that is not refreshed yet. */
    public static LockedContext prepare(Consumer<DistributedLockBeanPostProcessor> settings, Class<?>... components) {
        LockedContext context = new LockedContext();
        context.registerBean(DistributedLockBeanPostProcessor.class, () -> {
            DistributedLockBeanPostProcessor processor =
                    new DistributedLockBeanPostProcessor(() -> context.registry, context.settings);
            processor.setProxyTargetClass(true);
            settings.accept(processor);
            return processor;
        });
        context.registerBean(RecordingRegistry.class, () -> context.registry);
        if (components.length > 0) {
            context.register(components);
        }
        return context;
    }

    public LockedContext property(String name, String value) {
        getEnvironment().getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, value)));
        return this;
    }

    /** Returns the exception with which the application fails to start with these beans. */
    public static InvalidLockDefinitionException rejectionOf(Class<?>... components) {
        return rejection(() -> of(components).close());
    }

    /** As {@link #rejectionOf}, with proxies of interfaces. */
    public static InvalidLockDefinitionException rejectionWithInterfaceProxies(Class<?>... components) {
        return rejection(() -> ofInterfaceProxies(components).close());
    }

    public static InvalidLockDefinitionException rejection(Runnable start) {
        Throwable thrown = catchThrowable(start::run);
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidLockDefinitionException rejection) {
                return rejection;
            }
        }
        throw new AssertionError("not rejected", thrown);
    }
}
