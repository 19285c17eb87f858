package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.key.ConditionExpression;
import io.github.lockstarter.key.KeyExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one annotation, read and checked. Immutable.
 *
 * @param name static name of the lock
 * @param use what the grant allows beside it
 * @param condition decides for each call whether it takes the lock; null if every call does
 * @param key distinguishes locks of the same name; null if the name is the lock
 * @param waitTime how long a call waits for the lock; null for the configured default
 * @param lease how long the lock is held without renewal; null if it is renewed
 * @param maxHold when renewal ends; null for the configured default
 * @param minHold how long the lock remains taken at least; zero for no minimum
 * @param onLost the reaction to the loss of the lease
 * @param notGranted the reaction to a lock that is not granted; null for the application's default
 * @param releasedAfterTransaction whether an enclosing transaction holds the lock until it has completed
 */
record LockSpec(
        String name,
        LockUse use,
        @Nullable ConditionExpression condition,
        @Nullable KeyExpression key,
        @Nullable Duration waitTime,
        @Nullable Duration lease,
        @Nullable Duration maxHold,
        Duration minHold,
        OnLost onLost,
        @Nullable NotGrantedAction notGranted,
        boolean releasedAfterTransaction) {

    /** Returns the request for one key; empty for a lock without a key. */
    public LockRequest request(String keyText) {
        LockRequest request = this.use
                .applyTo(LockRequest.of(this.name, keyText))
                .withOnLost(this.onLost)
                .withReleaseAfterTransaction(this.releasedAfterTransaction);
        if (!this.minHold.isZero()) {
            request = request.withMinHold(this.minHold);
        }
        if (this.waitTime != null) {
            request = request.withWaitTime(this.waitTime);
        }
        if (this.lease != null) {
            request = request.withLease(this.lease);
        }
        if (this.maxHold != null) {
            request = request.withMaxHold(this.maxHold);
        }
        return request;
    }
}
