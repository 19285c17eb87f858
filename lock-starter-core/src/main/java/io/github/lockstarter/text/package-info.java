/**
 * What users read: texts of messages, of times and of names of locks, and the log. Internal to the library; other
 * packages and modules of it write into the log by {@link io.github.lockstarter.text.LockLog} alone.
 */
@NullMarked
package io.github.lockstarter.text;

import org.jspecify.annotations.NullMarked;
