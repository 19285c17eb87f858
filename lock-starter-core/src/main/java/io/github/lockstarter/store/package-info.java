/**
 * The SPI of stores, which keep the grants of locks, and a store in memory. Part of the API, for implementations of
 * stores.
 */
@NullMarked
package io.github.lockstarter.store;

import org.jspecify.annotations.NullMarked;
