/** An application of the plainest kind, to be built and run with each line of Spring Boot. */
@NullMarked
package io.github.lockstarter.boottests;

import org.jspecify.annotations.NullMarked;
