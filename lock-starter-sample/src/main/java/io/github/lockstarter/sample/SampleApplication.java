package io.github.lockstarter.sample;

import io.github.lockstarter.backing.BackingInitializer;
import io.github.lockstarter.sample.demo.Demonstration;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the ticket office. Start it twice, on two ports, to see the lock at work. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains(Demonstration.OPTION)) {
            System.exit(Demonstration.run(args));
        }
        ConfigurableApplicationContext context = run(args);
        String port = context.getEnvironment().getProperty("local.server.port");
        LoggerFactory.getLogger(SampleApplication.class).info("The page: http://127.0.0.1:{}/", port);
    }

    static ConfigurableApplicationContext run(String... args) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .initializers(new BackingInitializer()) // starts Redis and H2, unless others are configured
                .run(args);
    }
}
