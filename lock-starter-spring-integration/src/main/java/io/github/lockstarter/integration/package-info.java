/**
 * Adapter of the locks to the {@code LockRegistry} of Spring Integration 7. Internal: not part of the API, except
 * {@link io.github.lockstarter.integration.IntegrationLockRegistry}.
 */
@NullMarked
package io.github.lockstarter.integration;

import org.jspecify.annotations.NullMarked;
