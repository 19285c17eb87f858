package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.key.ConditionExpression;
import io.github.lockstarter.aop.key.KeyExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says, read and checked.
 *
 * @param name static name of the lock
 * @param condition when a call takes the lock; null: always
 * @param key what is locked under that name; null: the name alone
 * @param waitTime null: as configured
 * @param lease null: renewed
 * @param maxHold null: as configured
 * @param minHold how long the lock is kept at least; zero: not at all
 * @param onLost what happens when the lease is lost
 * @param notGranted what the caller gets when it is not granted; null: as everywhere in the application
 * @param keptForTransaction whether a transaction that runs already keeps the lock until it has completed
 */
public record LockSpec(
        String name,
        @Nullable ConditionExpression condition,
        @Nullable KeyExpression key,
        @Nullable Duration waitTime,
        @Nullable Duration lease,
        @Nullable Duration maxHold,
        Duration minHold,
        OnLost onLost,
        @Nullable NotGranted notGranted,
        boolean keptForTransaction) {

    /** Asks for one key. */
    public LockRequest request(String keyText) {
        LockRequest request =
                LockRequest.of(this.name, keyText).withOnLost(this.onLost).withMinHold(this.minHold);
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
