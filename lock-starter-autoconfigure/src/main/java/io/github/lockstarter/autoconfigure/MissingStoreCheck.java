package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Fails the start of an application that has annotated beans but no store of locks. */
final class MissingStoreCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;

    private final boolean enabled;

    /**
     * Creates the check.
     *
     * @param enabled whether annotated methods run under their lock
     */
    MissingStoreCheck(ConfigurableListableBeanFactory beanFactory, boolean enabled) {
        this.beanFactory = beanFactory;
        this.enabled = enabled;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String locked = this.enabled ? LockedBeans.anyIn(this.beanFactory, annotation -> true) : null;
        if (locked != null) {
            throw MissingLockStoreException.in(
                    this.beanFactory,
                    "Bean '" + locked + "' has methods with @DistributedLock or @DistributedSemaphore.");
        }
    }
}
