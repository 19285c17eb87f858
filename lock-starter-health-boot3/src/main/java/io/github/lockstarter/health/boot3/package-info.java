/** Health of locks on Spring Boot 3. Switched off on Spring Boot 4, where these types are no more. */
@NullMarked
package io.github.lockstarter.health.boot3;

import org.jspecify.annotations.NullMarked;
