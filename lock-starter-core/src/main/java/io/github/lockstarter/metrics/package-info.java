/** Meters and observations of what happens to locks; the only package that knows Micrometer. */
@NullMarked
package io.github.lockstarter.metrics;

import org.jspecify.annotations.NullMarked;
