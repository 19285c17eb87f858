/** Acquisitions: attempts, waiting with or without a thread, and the reports of their end. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.acquire;

import org.jspecify.annotations.NullMarked;
