/** Auto-configuration of distributed locks for Spring Boot, and the properties {@code distributed-lock.*}. */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
