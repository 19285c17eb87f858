/**
 * The store in Redis and Valkey. The sub-packages hold its scripts, its connections and the translation of errors;
 * nothing outside of this package uses them. Internal: not part of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis;

import org.jspecify.annotations.NullMarked;
