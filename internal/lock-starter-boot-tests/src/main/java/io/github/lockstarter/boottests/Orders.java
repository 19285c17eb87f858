package io.github.lockstarter.boottests;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Methods under locks. */
@Service
public class Orders {

    /** Returns the fencing token. */
    @DistributedLock(name = "order", key = "#order.customer.id + '-' + #order.number", waitTime = 60_000)
    public long settle(Order order) {
        return LeaseContext.required().fencingToken();
    }

    /** Reports which lease it has, and keeps it until it is to end. */
    @DistributedLock(name = "order", key = "#customer + '-' + #number", waitTime = 0)
    public void hold(String customer, int number, CompletableFuture<Lease> held, CompletableFuture<?> end) {
        held.complete(LeaseContext.required());
        end.join();
    }

    /** Whether it gets the lock. */
    @DistributedLock(name = "order", key = "#customer + '-' + #number", waitTime = 0, fallback = "isTaken")
    public boolean isFree(String customer, int number) {
        return true;
    }

    /** Stands in for {@link #isFree}. */
    public boolean isTaken(String customer, int number) {
        return false;
    }
}
