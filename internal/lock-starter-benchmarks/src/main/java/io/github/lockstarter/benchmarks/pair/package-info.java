/** Lock and unlock without contention, under JMH. */
@NullMarked
package io.github.lockstarter.benchmarks.pair;

import org.jspecify.annotations.NullMarked;
