/** A grant and its life: states, validity, renewal, loss. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.grant;

import org.jspecify.annotations.NullMarked;
