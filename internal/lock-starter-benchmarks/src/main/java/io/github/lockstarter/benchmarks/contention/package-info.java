/** Threads that want the same lock, and the memory that they share over all JVMs. */
@NullMarked
package io.github.lockstarter.benchmarks.contention;

import org.jspecify.annotations.NullMarked;
