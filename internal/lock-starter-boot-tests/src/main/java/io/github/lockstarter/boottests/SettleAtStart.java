package io.github.lockstarter.boottests;

import java.util.List;
import java.util.Objects;
import org.springframework.aot.AotDetector;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** With {@code --settle=<customer>}: takes the lock of an order right at the start, and says how it went. */
@Component
class SettleAtStart implements ApplicationRunner {

    private final Orders orders;

    SettleAtStart(Orders orders) {
        this.orders = orders;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        for (String customer : Objects.requireNonNullElse(arguments.getOptionValues("settle"), List.<String>of())) {
            long token = this.orders.settle(new Order(new Order.Customer(customer), 1));
            System.out.println("settled, token " + token + ", generated " + AotDetector.useGeneratedArtifacts());
        }
    }
}
