/**
 * Adapter of the locks to the {@code LockRegistry} of Spring Integration. Internal: not part of the API, except
 * {@link io.github.lockstarter.integration.IntegrationLockRegistry} and
 * {@link io.github.lockstarter.integration.Integration6LockRegistry}.
 */
@NullMarked
package io.github.lockstarter.integration;

import org.jspecify.annotations.NullMarked;
