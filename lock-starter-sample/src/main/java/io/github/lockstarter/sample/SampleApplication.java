package io.github.lockstarter.sample;

import io.github.lockstarter.backing.BackingInitializer;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the ticket office. Start it twice, on two ports, to see the lock at work. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) {
        run(args);
    }

    static ConfigurableApplicationContext run(String... args) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .initializers(new BackingInitializer()) // starts Redis and H2, unless others are configured
                .run(args);
    }
}
