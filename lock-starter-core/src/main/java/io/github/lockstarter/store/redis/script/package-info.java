/**
 * The Lua scripts, the keys and channels that they use, and calls of scripts over Lettuce's own API. Internal: not part
 * of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis.script;

import org.jspecify.annotations.NullMarked;
