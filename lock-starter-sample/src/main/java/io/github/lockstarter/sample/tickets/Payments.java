package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedSemaphore;
import org.springframework.stereotype.Service;

/** Takes payments. The provider admits a few at the same time, from all instances together. */
@Service
class Payments {

    private final PaymentProvider provider;

    Payments(PaymentProvider provider) {
        this.provider = provider;
    }

    /**
     * Has a payment authorized. The limit is one for all instances, and buyers get their turn in the order in which they came.
     * An authorization that is not used, because the event is sold out, expires at the provider.
     */
    @DistributedSemaphore(name = "payment", permitsString = "${tickets.payments-at-once}")
    public void authorize() throws InterruptedException {
        provider.authorize();
    }
}
