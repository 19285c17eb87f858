/**
 * Health of locks on Spring Boot 3; has no effect on Spring Boot 4, which has other types. Internal: not part of the
 * API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.health.boot3;

import org.jspecify.annotations.NullMarked;
