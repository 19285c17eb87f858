/**
 * The live page: what {@link io.github.lockstarter.LockListener} and {@link io.github.lockstarter.LockInventory} show of
 * this instance, as server-sent events, and buttons that make trouble. An application needs nothing of it.
 */
@NullMarked
package io.github.lockstarter.sample.live;

import org.jspecify.annotations.NullMarked;
