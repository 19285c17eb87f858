/**
 * lock-starter and other libraries under the same faults. Worker processes of one library acquire the same locks while
 * {@link io.github.lockstarter.testsupport.history.Trouble}s happen; the checker is that of lock-starter's own tests.
 */
@NullMarked
package io.github.lockstarter.benchmarks.faults;

import org.jspecify.annotations.NullMarked;
