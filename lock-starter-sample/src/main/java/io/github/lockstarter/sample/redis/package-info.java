/** A Redis that comes with the service, for trying it out; a real deployment needs nothing of this. */
@NullMarked
package io.github.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
