/** The locks of the library as a {@code LockRegistry} of Spring Integration 7. */
@NullMarked
package io.github.lockstarter.integration;

import org.jspecify.annotations.NullMarked;
