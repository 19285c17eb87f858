/** What a worker JVM does for the runner. */
@NullMarked
package io.github.lockstarter.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
