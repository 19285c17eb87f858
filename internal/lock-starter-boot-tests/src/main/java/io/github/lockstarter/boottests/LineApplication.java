package io.github.lockstarter.boottests;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** What every user writes. It names no type that has moved from one line of Spring Boot to the next. */
@SpringBootApplication
public class LineApplication {

    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(LineApplication.class, args);
    }
}
