package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/** Sells a ticket to a buyer who takes a while: time enough to pause the process, or to take its lock away. */
@Service
class SlowSale {

    private final TicketOffice office;
    private final TransactionOperations transactions;

    SlowSale(TicketOffice office, TransactionOperations transactions) {
        this.office = office;
        this.transactions = transactions;
    }

    /**
     * Holds the lock for some seconds, and then writes, without a check of the lock: if a later owner was granted it
     * meanwhile, the database refuses the transaction. It begins after the wait, so as not to occupy a connection.
     */
    @DistributedLock(name = "event", key = "#eventId")
    public Ticket sell(String eventId, int seconds) throws InterruptedException {
        TimeUnit.SECONDS.sleep(seconds);
        return transactions.execute(status -> office.write(eventId));
    }
}
