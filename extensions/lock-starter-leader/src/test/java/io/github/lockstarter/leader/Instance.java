package io.github.lockstarter.leader;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of an application, in this JVM, whose events are recorded. */
final class Instance implements AutoCloseable {

    static final String ROLE = "feed";

    private final ConfigurableApplicationContext context;

    private Instance(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static Instance start(int redisPort, List<String> options, Class<?>... sources) {
        return start(Application.class, redisPort, options, sources);
    }

    /** Starts an application that has roles, locks in memory, and no other auto-configuration. */
    static Instance inMemory(List<String> options, Class<?>... sources) {
        List<String> all = new ArrayList<>(options);
        all.add("--distributed-lock.store=memory");
        return start(SmallApplication.class, 1, all, sources);
    }

    /** Starts an application with locks in Redis and no other auto-configuration, which starts faster. */
    static Instance small(int redisPort, List<String> options, Class<?>... sources) {
        return start(SmallRedisApplication.class, redisPort, options, sources);
    }

    private static Instance start(Class<?> application, int redisPort, List<String> options, Class<?>... sources) {
        return new Instance(new SpringApplicationBuilder(application)
                .sources(sources)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redisPort,
                        "spring.data.redis.client-type=lettuce",
                        "distributed-lock.leader.roles.feed.retry-delay=100ms",
                        "distributed-lock.leader.roles.feed.stop-timeout=20s")
                .run(options.toArray(String[]::new)));
    }

    static ConditionFactory eventually() {
        return Awaitility.await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(10));
    }

    LeaderElection election() {
        return this.context.getBean(LeaderElection.class);
    }

    boolean isLeader() {
        return election().isLeader(ROLE);
    }

    /** Waits until this instance is in the line of the role. */
    Instance contending() {
        eventually().until(() -> !bean(LockInventory.class).awaited().isEmpty());
        return this;
    }

    Instance leading() {
        eventually().until(this::isLeader);
        return this;
    }

    List<LeadershipEvent> events() {
        return List.copyOf(bean(Recorder.class).events);
    }

    /** Returns the events without their epochs, such as {@code Granted}. */
    List<String> eventNames() {
        return bean(Recorder.class).names();
    }

    <T> T bean(Class<T> type) {
        return this.context.getBean(type);
    }

    ConfigurableApplicationContext context() {
        return this.context;
    }

    @Override
    public void close() {
        this.context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application extends Recording {}

    static class Recording {

        @Bean
        Recorder recorder() {
            return new Recorder();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DistributedLockAutoConfiguration.class,
        DistributedLockLeaderAutoConfiguration.class,
        DistributedLockLeaderActuatorAutoConfiguration.class
    })
    static class SmallApplication extends Recording {}

    @Configuration(proxyBeanMethods = false)
    static class SmallRedisApplication extends SmallApplication {

        @Bean
        LettuceConnectionFactory connections(@Value("${spring.data.redis.port}") int port) {
            return new LettuceConnectionFactory("127.0.0.1", port);
        }
    }

    static class Recorder {

        final List<LeadershipEvent> events = new CopyOnWriteArrayList<>();

        /** Returns the events without their epochs, such as {@code Granted}. */
        List<String> names() {
            return this.events.stream()
                    .map(event -> event.getClass().getSimpleName().replaceAll("Leadership|Event", ""))
                    .toList();
        }

        @EventListener
        @Order(0)
        void on(LeadershipEvent event) {
            this.events.add(event);
        }
    }
}
