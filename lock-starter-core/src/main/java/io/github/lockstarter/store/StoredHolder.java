package io.github.lockstarter.store;

/**
 * One of the holders of a lock, as the store describes it.
 *
 * @param acquisitionId id of its acquisition, or {@link GrantKind#keptOf} that id while it is kept for its minimum hold
 * @param fencingToken token of its grant
 * @param remainingMillis milliseconds until its lease expires; negative: unknown
 * @param weight number of permits that it holds; 0 for a lock
 */
public record StoredHolder(String acquisitionId, long fencingToken, long remainingMillis, int weight) {}
