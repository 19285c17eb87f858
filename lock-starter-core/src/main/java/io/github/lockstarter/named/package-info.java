/**
 * Settings of the locks of one static name, which annotated methods and the registry resolve in the same way. Internal:
 * not part of the API.
 */
@NullMarked
package io.github.lockstarter.named;

import org.jspecify.annotations.NullMarked;
