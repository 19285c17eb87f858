/**
 * Connections of the store: the private one, which is derived from the application's connection factory, and the
 * application's own. Internal: not part of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis.connection;

import org.jspecify.annotations.NullMarked;
