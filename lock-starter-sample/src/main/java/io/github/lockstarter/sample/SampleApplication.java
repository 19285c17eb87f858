package io.github.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the ticket office. Start it twice, on two ports, to see the lock at work. */
@SpringBootApplication(proxyBeanMethods = false)
public class SampleApplication {

    public static void main(String[] args) {
        run(args);
    }

    static ConfigurableApplicationContext run(String... args) {
        // The instance that opens the database file first serves it to the others, by default on all networks. H2 reads
        // this property when its first class is loaded.
        System.setProperty("h2.bindAddress", "127.0.0.1");
        return SpringApplication.run(SampleApplication.class, args);
    }
}
