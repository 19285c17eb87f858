package io.github.lockstarter.store;

import org.jspecify.annotations.Nullable;

/**
 * The waiting line of a lock, as one acquisition sees it.
 *
 * @param lock the lock; null: it is free
 * @param inLine whether the acquisition is in the line
 */
public record LineStatus(@Nullable StoredLock lock, boolean inLine) {}
