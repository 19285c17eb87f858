/**
 * The Lua scripts, and the keys and channels that they use. Internal: not part of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis.script;

import org.jspecify.annotations.NullMarked;
