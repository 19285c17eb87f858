/** The instances that hold locks: the description of this one, and those of others. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.holder;

import org.jspecify.annotations.NullMarked;
