package io.github.lockstarter.autoconfigure;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Result of a forced release, as a result of the endpoint.
 *
 * @param name full name of the lock
 * @param released whether the lock was held
 */
record ReleaseDescription(String name, boolean released) implements OperationResponseBody {}
