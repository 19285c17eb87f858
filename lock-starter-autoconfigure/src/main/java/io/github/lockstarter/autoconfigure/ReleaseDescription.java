package io.github.lockstarter.autoconfigure;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Result of a forced release, as a result of the endpoint.
 *
 * @param name full name of the lock
 * @param released whether the lock was held, or that one grant
 * @param notified whether the owners are sent a message; without it, they notice the loss at their next renewal
 */
record ReleaseDescription(String name, boolean released, boolean notified) implements OperationResponseBody {}
