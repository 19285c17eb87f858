/** The end of grants: release through the store or in memory, minimum holds, clean-up, and the handle of the user. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.release;

import org.jspecify.annotations.NullMarked;
