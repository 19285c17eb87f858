/** The lock registry and its runs, locks that belong to threads, inventory and health. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease;

import org.jspecify.annotations.NullMarked;
