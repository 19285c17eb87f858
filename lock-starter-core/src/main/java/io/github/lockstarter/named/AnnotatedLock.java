package io.github.lockstarter.named;

import io.github.lockstarter.LockRequest;

/**
 * What applies to the calls of one annotated method, from its annotation or the properties of its name.
 *
 * @param method class and method, without packages
 * @param request without a key; what is not set has the configured default
 */
public record AnnotatedLock(String method, LockRequest request) {}
