/**
 * Formatting of durations and names of locks in messages, and logging: all modules log only by
 * {@link io.github.lockstarter.text.LockLog}. Internal: not part of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.text;

import org.jspecify.annotations.NullMarked;
