/**
 * Auto-configuration of distributed locks for Spring Boot, and the properties {@code distributed-lock.*}. Internal: not
 * part of the API, may change in any release.
 */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
