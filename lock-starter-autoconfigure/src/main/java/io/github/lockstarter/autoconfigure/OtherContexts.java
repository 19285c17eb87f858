package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Warns about annotated beans of parent and child contexts without this auto-configuration. A post-processor processes
 * the beans of its own context only, and this one receives the refresh of a child when the beans of the child exist.
 * They can then no longer be locked.
 */
final class OtherContexts implements ApplicationListener<ContextRefreshedEvent> {

    private static final LockLog logger = LockLog.of(OtherContexts.class);

    private final ApplicationContext own;

    /** The reported beans, because a child context, such as that of a client, may be created many times. */
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    OtherContexts(ApplicationContext own) {
        this.own = own;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        ApplicationContext refreshed = event.getApplicationContext();
        if (refreshed != this.own) {
            // Otherwise that of a context between the two reports them.
            if (nearestWithLocks(refreshed) == this.own) {
                check(refreshed);
            }
            return;
        }
        for (ApplicationContext parent = this.own.getParent(); parent != null; parent = parent.getParent()) {
            if (nearestWithLocks(parent) == null) {
                check(parent);
            }
        }
    }

    /** Returns the context or the nearest of its ancestors whose beans are locked, or {@code null} if there is none. */
    private static @Nullable ApplicationContext nearestWithLocks(ApplicationContext context) {
        ApplicationContext nearest = context;
        while (nearest != null
                && nearest.getBeanNamesForType(DistributedLockBeanPostProcessor.class, true, false).length == 0) {
            nearest = nearest.getParent();
        }
        return nearest;
    }

    private void check(ApplicationContext context) {
        if (context.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory beanFactory) {
            List<String> unlocked = LockedBeans.unlockedIn(beanFactory).stream()
                    .filter(this.reported::add)
                    .toList();
            if (!unlocked.isEmpty()) {
                logger.warn(
                        "Methods with @DistributedLock or @DistributedSemaphore run without their locks: the application"
                                + " context '" + context.getDisplayName()
                                + "' has no auto-configuration of locks, and that of '"
                                + this.own.getDisplayName() + "' does not apply to beans of other contexts. Add"
                                + " @ImportAutoConfiguration(DistributedLockAutoConfiguration.class) to a configuration of that"
                                + " context, or move the beans to a context with locks. Beans: "
                                + String.join(", ", unlocked));
            }
        }
    }
}
