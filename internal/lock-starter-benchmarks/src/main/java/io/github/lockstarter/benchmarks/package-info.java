/** lock-starter beside its peers and a floor, in one run. */
@NullMarked
package io.github.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
