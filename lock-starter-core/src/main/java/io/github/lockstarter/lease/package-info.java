/** A grant's life: waiting for it, its state machine, its renewal, its end. */
@NullMarked
package io.github.lockstarter.lease;

import org.jspecify.annotations.NullMarked;
