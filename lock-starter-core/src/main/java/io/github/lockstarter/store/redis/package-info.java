/** Grants in Redis: scripts, connections, notifications. The only package that knows Redis. */
@NullMarked
package io.github.lockstarter.store.redis;

import org.jspecify.annotations.NullMarked;
