/** How each row is measured. */
@NullMarked
package io.github.lockstarter.benchmarks.rows;

import org.jspecify.annotations.NullMarked;
