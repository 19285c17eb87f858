/** Finds a redis-server program on this machine, for the sample and for tests. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.redisbinary;

import org.jspecify.annotations.NullMarked;
