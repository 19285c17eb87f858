/**
 * Confirmation of grants and renewals by replicas, over connections of its own. Internal: not part of the API, may
 * change in any release.
 */
@NullMarked
package io.github.lockstarter.store.redis.confirm;

import org.jspecify.annotations.NullMarked;
