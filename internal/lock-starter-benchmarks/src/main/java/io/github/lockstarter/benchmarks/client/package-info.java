/** The contenders, each behind the same few methods. */
@NullMarked
package io.github.lockstarter.benchmarks.client;

import org.jspecify.annotations.NullMarked;
