/**
 * Conversion of values to keys of locks, which must be the same text in every JVM. Internal: not part of the API, may
 * change in any release.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
