/** Runs Redis and a database beside the instances, so that the sample needs no installation. */
@NullMarked
package io.github.lockstarter.sample.backing;

import org.jspecify.annotations.NullMarked;
