/**
 * From annotation to lock call: an annotation is read once into an immutable {@link io.github.lockstarter.aop.LockSpec},
 * and an interceptor runs the method under the lock that the spec asks for.
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
