/**
 * Texts that are the same in every JVM, which is what makes a value usable as the key of a lock. Internal: for annotated
 * methods and for the adapters of this library.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
