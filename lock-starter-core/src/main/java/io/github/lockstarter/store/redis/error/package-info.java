/**
 * Classification of Redis error replies and translation of client exceptions. Internal: not part of the API, may change
 * in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis.error;

import org.jspecify.annotations.NullMarked;
