package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** A lock is asked for, but there is no store to keep it in. */
final class MissingLockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    /** By its name, for the class may be what is missing. */
    private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

    private final String problem;

    private final String remedy;

    private MissingLockStoreException(String problem, String remedy) {
        super(problem + " " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Says why that bean factory has no store.
     *
     * @param user a sentence about who needs it; empty: unknown
     */
    static MissingLockStoreException in(ConfigurableListableBeanFactory beanFactory, String user) {
        String problem = user + (user.isEmpty() ? "" : " ")
                + "Distributed locks are to be kept in Redis (distributed-lock.store=redis), but ";
        String[] factories = connectionFactories(beanFactory);
        if (factories.length == 0) {
            return new MissingLockStoreException(
                    problem + "there is no RedisConnectionFactory bean.",
                    "Add spring-boot-starter-data-redis or define a RedisConnectionFactory bean. For tests, and for an"
                            + " application that only ever runs as one instance, set distributed-lock.store=memory.");
        }
        return new MissingLockStoreException(
                problem + "none of the RedisConnectionFactory beans is @Primary: " + String.join(", ", factories) + ".",
                "Mark the one to use as @Primary, or define a LockStore bean for it: new RedisLockStore(factory,"
                        + " new RedisStoreSettings(\"lock\", Duration.ofSeconds(3), true)).");
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
