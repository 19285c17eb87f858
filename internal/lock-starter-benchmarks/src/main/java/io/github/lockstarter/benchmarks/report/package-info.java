/** What was measured, what it is held against, and how it is written down. */
@NullMarked
package io.github.lockstarter.benchmarks.report;

import org.jspecify.annotations.NullMarked;
