package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.queue.Claim;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineBase;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages of the store about grants to this JVM. A message can be late, so that it is believed only if it names the
 * open ticket and a token larger than that of the owner behind which the ticket was seen in the line. Otherwise it is a hint:
 * an acquire command follows, which is sent before the waiter has woken up, and only its reply counts. Does not block.
 */
public final class HandOverMessages implements WaitingListener {

    private static final LockLog logger = LockLog.of(HandOverMessages.class);

    private final LocalQueues<Grant> queues;

    private final LockStore store;

    private final LeaseClock clock;

    private final ClaimLease claimLease;

    private final Renewer renewer;

    private final LoggedNames names;

    public HandOverMessages(
            LocalQueues<Grant> queues,
            LockStore store,
            LeaseClock clock,
            ClaimLease claimLease,
            Renewer renewer,
            LoggedNames names) {
        this.queues = queues;
        this.store = store;
        this.clock = clock;
        this.claimLease = claimLease;
        this.renewer = renewer;
        this.names = names;
    }

    @Override
    public void handedOver(String lockName) {
        this.queues.forAllFirst(lockName, this::claimOrWake);
    }

    @Override
    public void granted(String lockName, String acquisitionId, long fencingToken) {
        this.queues.forFirst(lockName, GrantKind.of(acquisitionId), (first, ticket) -> {
            // A ticket that has ended is removed from the store by its last waiter.
            if (!ticket.acquisitionId().equals(acquisitionId)) {
                return;
            }
            WaitingRequest waiter = first.waiter();
            // A holder of a shared lock proves nothing about those that a grant loop adds.
            LineBase base = first.kind().isShared() ? null : ticket.baseOf(fencingToken);
            if (waiter == null || base == null || !believe(first, ticket, waiter, base, fencingToken)) {
                claimOrWake(first, ticket);
            }
        });
    }

    private boolean believe(
            QueueNode<Grant> first, LineTicket ticket, WaitingRequest waiter, LineBase base, long fencingToken) {
        // A fixed lease that is shorter than that of the claim may have ended, counted from the base.
        long usable = LeaseTerms.usableNanos(waiter.leaseMillis());
        if (!this.claimLease.isEnoughLeft(base.sentAt(), base.sentAtWall(), usable)) {
            return false;
        }
        Renewal confirmation = this.renewer.ahead(first.lockName(), ticket.acquisitionId(), waiter.leaseMillis());
        if (!ticket.believe(Claim.believed(base, this.claimLease.millis(), fencingToken, confirmation))) {
            return false;
        }
        ticket.noticeHandOver();
        // First, because to send a command takes longer than to wake a thread, and the work need not wait for the
        // renewal.
        first.wake();
        this.renewer.sendAhead(confirmation, waiter.request());
        return true;
    }

    private void claimOrWake(QueueNode<Grant> first, LineTicket ticket) {
        ticket.noticeHandOver();
        WaitingRequest waiter = first.waiter();
        // A waiter that is not waiting asks by itself, or once more after the reply that is on its way.
        if (waiter == null || !first.isWaiting() || !claim(first, ticket, waiter)) {
            first.wake();
        }
    }

    @Override
    public void missedSome() {
        this.queues.wakeAll();
    }

    @Override
    public void moved() {
        this.renewer.renewAll();
        missedSome();
    }

    private boolean claim(QueueNode<Grant> first, LineTicket ticket, WaitingRequest waiter) {
        Claim claim = Claim.sent(this.clock, waiter.leaseMillis());
        if (!ticket.beginClaim(claim)) {
            return false;
        }
        CompletionStage<AcquireReply> reply = send(first, ticket, waiter);
        if (reply == null) {
            claim.answer(null);
            return false;
        }
        CompletionStage<?> unused = reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                ticket.unanswered(waiter.leaseMillis());
            }
            claim.answer(answer);
            // The waiter that asks under the ticket now: the one for which the claim was sent may have given up.
            this.queues.forFirst(first.lockName(), first.kind(), (present, its) -> {
                its.notice();
                present.wake();
            });
        });
        return true;
    }

    private @Nullable CompletionStage<AcquireReply> send(
            QueueNode<Grant> first, LineTicket ticket, WaitingRequest waiter) {
        try {
            return this.store.acquireLater(
                    first.lockName(), ticket.acquisitionId(), waiter.leaseMillis(), waiter.mayWait());
        } catch (RuntimeException ex) {
            logger.debug("No claim for lock '" + this.names.of(first.lockName()) + "'", ex);
            ticket.unanswered(waiter.leaseMillis());
            return null;
        }
    }
}
