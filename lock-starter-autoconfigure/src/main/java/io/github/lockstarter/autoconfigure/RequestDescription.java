package io.github.lockstarter.autoconfigure;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Result of a request to release a lock, as a result of the endpoint.
 *
 * @param name full name of the lock
 * @param requested whether the lock has an owner, and a message was sent to it
 */
record RequestDescription(String name, boolean requested) implements OperationResponseBody {}
