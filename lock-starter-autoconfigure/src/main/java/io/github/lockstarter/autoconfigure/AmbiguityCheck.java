package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnNotGranted;
import java.util.function.Predicate;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Fails the start of an application that has annotated methods, and several beans that they could use without a primary
 * one. Otherwise the first call would fail, or the handler would silently not be called.
 */
final class AmbiguityCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;

    private final ObjectProvider<LockRegistry> registry;

    private final ObjectProvider<LockFailureHandler> handler;

    AmbiguityCheck(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LockRegistry> registry,
            ObjectProvider<LockFailureHandler> handler) {
        this.beanFactory = beanFactory;
        this.registry = registry;
        this.handler = handler;
    }

    @Override
    public void afterSingletonsInstantiated() {
        check(LockRegistry.class, this.registry, annotation -> true);
        check(LockFailureHandler.class, this.handler, AmbiguityCheck::usesHandler);
    }

    private static boolean usesHandler(MergedAnnotation<?> annotation) {
        return annotation.getString("fallback").isEmpty()
                && annotation.getEnum("onNotGranted", OnNotGranted.class) == OnNotGranted.THROW;
    }

    private <T> void check(Class<T> type, ObjectProvider<T> provider, Predicate<MergedAnnotation<?>> concerned) {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, type, true, false);
        if (names.length < 2 || provider.getIfUnique() != null) {
            return;
        }
        String locked = LockedBeans.anyIn(this.beanFactory, concerned);
        if (locked != null) {
            throw new InvalidLockDefinitionException(
                    "Bean '" + locked + "' has methods with @DistributedLock or @DistributedSemaphore, and none of the "
                            + type.getSimpleName() + " beans is @Primary: " + String.join(", ", names) + ".",
                    "Mark the bean that annotated methods should use as @Primary; inject the others with @Qualifier.",
                    null);
        }
    }
}
