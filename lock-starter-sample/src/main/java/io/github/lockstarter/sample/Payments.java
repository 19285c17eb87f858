package io.github.lockstarter.sample;

import io.github.lockstarter.DistributedSemaphore;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/** Takes payments. The payment provider admits a few at the same time from all instances together. */
@Service
class Payments {

    private final Duration time;

    Payments(@Value("${tickets.payment-time}") Duration time) {
        this.time = time;
    }

    /**
     * Authorizes a payment. An authorization that is not used, because the event is sold out, expires at the provider.
     */
    @DistributedSemaphore(name = "payment", permitsString = "${tickets.payments-at-once}")
    public void authorize() throws InterruptedException {
        Thread.sleep(time.toMillis());
    }
}
