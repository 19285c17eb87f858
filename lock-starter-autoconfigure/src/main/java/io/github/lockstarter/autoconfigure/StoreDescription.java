package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the store says of one lock.
 *
 * @param locked whether any instance has it; null: the store did not answer
 * @param fencingToken token of the last grant by the store; null: not known, or nobody has it
 * @param remaining until it runs out if nobody renews it; null: not known, or nobody has it
 * @param error why the store did not answer; null: it did
 */
record StoreDescription(
        @Nullable Boolean locked,
        @Nullable Long fencingToken,
        @Nullable Duration remaining,
        @Nullable String error) {

    /** Nobody has it. */
    static final StoreDescription FREE = new StoreDescription(false, null, null, null);
}
