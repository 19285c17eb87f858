package io.github.lockstarter.autoconfigure;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What came of taking a lock from its owner.
 *
 * @param released whether anybody had it
 */
record ReleaseDescription(String name, boolean released) implements OperationResponseBody {}
