package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockException;
import java.util.List;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Thrown when a lock is needed but no store could be configured. */
final class MissingLockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    /** A name, because the class may be missing from the class path. */
    private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

    private final String problem;

    private final String remedy;

    private MissingLockStoreException(String problem, String remedy) {
        super(problem + " " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Creates the exception with the reason why the bean factory has no store.
     *
     * @param user a sentence that names what needs the store; empty: unknown
     */
    static MissingLockStoreException in(ConfigurableListableBeanFactory beanFactory, String user) {
        String whose = user + (user.isEmpty() ? "" : " ");
        String store = beanFactory.getBean(Environment.class).getProperty("distributed-lock.store", "redis");
        if (!store.equalsIgnoreCase("redis")) {
            return new MissingLockStoreException(
                    whose + "No store of locks is configured: distributed-lock.store is \"" + store + "\".",
                    "Set distributed-lock.store to redis (the default) or memory.");
        }
        String problem = whose + "Distributed locks require Redis (distributed-lock.store=redis), but ";
        String[] factories = connectionFactories(beanFactory);
        if (factories.length == 0) {
            return new MissingLockStoreException(
                    problem + "there is no RedisConnectionFactory bean.",
                    "Add spring-boot-starter-data-redis or define a RedisConnectionFactory bean. For tests, and for an"
                            + " application that always runs as one instance, set distributed-lock.store=memory.");
        }
        if (factories.length == 1) {
            return new MissingLockStoreException(
                    problem + "the RedisConnectionFactory bean '" + factories[0]
                            + "' cannot be injected, or was defined after DistributedLockAutoConfiguration was evaluated.",
                    "Define the bean in a configuration class of the application or in an auto-configuration that is ordered"
                            + " before DistributedLockAutoConfiguration, or define a LockStore bean.");
        }
        List<String> marked = MarkedConnectionFactories.in(beanFactory);
        if (marked.size() > 1) {
            return new MissingLockStoreException(
                    problem + "several RedisConnectionFactory beans are marked with @DistributedLockConnectionFactory: "
                            + String.join(", ", marked) + ".",
                    "Mark only the RedisConnectionFactory bean that locks should use.");
        }
        return new MissingLockStoreException(
                problem + "none of the RedisConnectionFactory beans is @Primary or marked for locks: "
                        + String.join(", ", factories) + ".",
                "Mark the RedisConnectionFactory bean that locks should use with @DistributedLockConnectionFactory, on its @Bean method or its"
                        + " class, or mark the one that the whole application uses as @Primary.");
    }

    String problem() {
        return this.problem;
    }

    String remedy() {
        return this.remedy;
    }

    private static String[] connectionFactories(ConfigurableListableBeanFactory beanFactory) {
        try {
            Class<?> type = ClassUtils.forName(FACTORY, beanFactory.getBeanClassLoader());
            return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false);
        } catch (ClassNotFoundException ex) {
            return new String[0];
        }
    }
}
