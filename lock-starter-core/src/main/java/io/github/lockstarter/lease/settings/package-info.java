/** Settings of a registry and the rules that they must fulfil. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.settings;

import org.jspecify.annotations.NullMarked;
