package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import java.util.function.Function;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application for {@link IsolatedClassPath}: given its arguments, it says whether a method was locked. */
public final class IsolatedApplication implements Function<String, String> {

    @Override
    public String apply(String arguments) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(arguments.isEmpty() ? new String[0] : arguments.split(" "))) {
            return context.getBean(Counter.class).count();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Counter counter() {
            return new LockedCounter();
        }
    }

    interface Counter {

        String count();
    }

    static class LockedCounter implements Counter {

        @DistributedLock
        @Override
        public String count() {
            return LeaseContext.current().map(lease -> "locked " + lease.name()).orElse("not locked");
        }
    }

    /** The same, without a use of locks. */
    public static final class WithoutLocks implements Function<String, String> {

        @Override
        public String apply(String arguments) {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Plain.class)
                    .web(WebApplicationType.NONE)
                    .bannerMode(Banner.Mode.OFF)
                    .registerShutdownHook(false)
                    .run()) {
                return context.isRunning() ? "started" : "stopped";
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}
}
