package io.github.lockstarter.sample;

import io.github.lockstarter.sample.backing.BackingInitializer;
import io.github.lockstarter.sample.backing.BackingProcess;
import java.io.IOException;
import java.util.List;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the ticket office. Start it twice, on two ports, to see the lock at work. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) throws IOException {
        if (args.length > 0 && args[0].equals(BackingProcess.COMMAND)) {
            BackingProcess.run(List.of(args).subList(1, args.length)); // launched by an instance
        } else {
            run(args);
        }
    }

    static ConfigurableApplicationContext run(String... args) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .initializers(new BackingInitializer())
                .run(args);
    }
}
