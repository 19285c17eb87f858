/**
 * The store in Redis and Valkey: connections, commands, notifications and errors; the sub-package holds keys and
 * scripts. Only {@code RedisLockStore} and its settings are used outside. Internal: not part of the API, may change in
 * any release.
 */
@NullMarked
package io.github.lockstarter.store.redis;

import org.jspecify.annotations.NullMarked;
