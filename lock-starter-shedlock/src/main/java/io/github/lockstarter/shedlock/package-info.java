/** The locks of the library as a {@code LockProvider} of ShedLock. */
@NullMarked
package io.github.lockstarter.shedlock;

import org.jspecify.annotations.NullMarked;
