package io.github.lockstarter.sample.tickets;

import java.time.Duration;
import org.springframework.stereotype.Component;

/** The company that takes the money, as far as this example needs one: each payment takes some time. */
@Component
class PaymentProvider {

    private static final Duration TIME = Duration.ofMillis(20);

    void authorize() throws InterruptedException {
        Thread.sleep(TIME.toMillis());
    }
}
