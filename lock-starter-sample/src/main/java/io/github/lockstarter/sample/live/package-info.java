/**
 * What the page of the sample needs: events and states of this instance as a stream, and requests that cause faults. An
 * application needs nothing of it.
 */
@NullMarked
package io.github.lockstarter.sample.live;

import org.jspecify.annotations.NullMarked;
