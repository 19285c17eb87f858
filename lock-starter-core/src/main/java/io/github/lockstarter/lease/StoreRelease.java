package io.github.lockstarter.lease;

import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.text.LockLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One release through the store. It takes the id along under which this JVM asks next, if anybody waits here: then one
 * round trip either keeps the lock or joins the line again.
 */
final class StoreRelease {

    private static final LockLog logger = LockLog.of(StoreRelease.class);

    private final LockEngine engine;

    private final Grant grant;

    /** From where those behind ask; the store knows it from the release on. Null: nobody waits. */
    private final @Nullable Place place;

    private final @Nullable Successor successor;

    private final long sentAt;

    private final long sentAtWall;

    private boolean repeated;

    /** Completed when the place has left the line, if all that waited for it have given up meanwhile. */
    private CompletionStage<?> left = LockEngine.NOTHING_TO_AWAIT;

    StoreRelease(LockEngine engine, Grant grant) {
        this.engine = engine;
        this.grant = grant;
        Turn next = engine.queues().nextBehind(grant.turn());
        Acquisition waiter = next != null ? next.acquisition() : null;
        if (waiter != null && engine.isAccepting()) {
            this.place = engine.queues().newPlace();
            this.successor = new Successor(this.place.acquisitionId(), waiter.leaseMillis());
            // Its message may be here before the answer to the release.
            grant.turn().prepare(this.place);
        } else {
            this.place = null;
            this.successor = null;
        }
        this.sentAt = engine.clock().nanoTime();
        this.sentAtWall = engine.clock().currentTimeMillis();
    }

    /** Releases and waits for the answer; false if the lock was not ours any more. */
    boolean await() {
        try (InterruptShield shield = new InterruptShield()) {
            while (true) {
                ReleaseReply reply;
                try {
                    reply = this.engine
                            .store()
                            .release(
                                    this.grant.lockName(),
                                    this.grant.acquisitionId(),
                                    this.grant.fencingToken(),
                                    this.successor);
                } catch (RuntimeException | Error ex) {
                    if (shield.caught()) {
                        this.repeated = true;
                        continue;
                    }
                    failed(ex);
                    return true;
                }
                boolean ours = concluded(reply);
                // Without it the line would still have an entry of this JVM when the caller goes on.
                InterruptShield.await(this.left, this.engine.settings().commandTimeout());
                return ours;
            }
        }
    }

    /**
     * Releases without waiting for the answer.
     *
     * @return completed with what {@link #await()} would return, on a thread that must not be blocked
     */
    CompletionStage<Boolean> send() {
        CompletionStage<ReleaseReply> reply;
        try {
            reply = this.engine
                    .store()
                    .releaseLater(
                            this.grant.lockName(),
                            this.grant.acquisitionId(),
                            this.grant.fencingToken(),
                            this.successor);
        } catch (RuntimeException | Error ex) {
            failed(ex);
            return CompletableFuture.completedStage(true);
        }
        if (reply == null) {
            return this.engine.threads().release(this::await);
        }
        if (this.place == null) {
            // What the next one sends comes after the release.
            this.engine.queues().leave(this.grant.turn());
        }
        return reply.handle((answer, failure) -> {
            if (failure == null) {
                return concluded(answer);
            }
            failed(StoreFailures.unwrapped(failure));
            return true;
        });
    }

    private boolean concluded(ReleaseReply reply) {
        // Asked again, by us or by the client, the store may have released at the first time: "not mine" is no loss.
        boolean ours = reply.isReleased() || reply.outcome() == ReleaseReply.Outcome.UNPROVEN || this.repeated;
        // Also if it ran out before the release arrived: the attempt may be executed after that.
        this.engine.backgroundRelease().ofUnanswered(this.grant);
        if (ours) {
            this.engine.releaser().released(this.grant);
        } else {
            this.engine.releaser().foundLost(this.grant, reply);
        }
        if (this.place == null || this.successor == null) {
            this.engine.queues().leave(this.grant.turn());
        } else {
            if (ours && !reply.isReleased()) {
                this.place.unanswered(this.successor.leaseMillis());
            }
            callNext(this.place, this.successor, reply);
        }
        return ours;
    }

    private void failed(Throwable failure) {
        this.engine
                .threads()
                .log(() -> logger.warn("Lock '" + this.engine.names().of(this.grant.lockName())
                        + "' could not be released yet: " + failure.getMessage()
                        + " The release is repeated in the background; at worst the lease expires."));
        this.engine.backgroundRelease().ofGrant(this.grant);
        this.engine.releaser().unanswered(this.grant, failure);
        if (this.place == null || this.successor == null) {
            this.engine.queues().leave(this.grant.turn());
        } else {
            this.place.unanswered(this.successor.leaseMillis());
            CompletionStage<?> unused = this.engine.passOn(this.grant.turn(), this.place);
        }
    }

    /** Lets those behind go on from the place that the release gave them. */
    private void callNext(Place next, Successor asked, ReleaseReply reply) {
        if (reply.outcome() == ReleaseReply.Outcome.QUEUED) {
            next.queued(this.engine.clock().nanoTime());
        } else if (reply.outcome() == ReleaseReply.Outcome.GRANTED_TO_SUCCESSOR) {
            Turn turn = this.engine.queues().end(this.grant.turn());
            Acquisition waiter = turn != null ? turn.acquisition() : null;
            if (turn == null || waiter == null) {
                // All have given up meanwhile.
                next.owned();
                this.left = this.engine.backgroundRelease().ofPlace(this.grant.lockName(), next);
            } else if (!this.engine
                    .grants()
                    .takeOver(
                            waiter,
                            asked.leaseMillis(),
                            reply.fencingToken(),
                            next,
                            turn,
                            this.sentAt,
                            this.sentAtWall)) {
                // It wants another lease than the one before it, or this one is over already: it asks for itself.
                next.owned();
                turn.callToAsk(next);
            }
            return;
        }
        this.left = this.engine.passOn(this.grant.turn(), next);
    }
}
