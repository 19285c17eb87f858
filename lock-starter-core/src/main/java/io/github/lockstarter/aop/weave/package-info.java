/**
 * Internal: locks that AspectJ's load-time weaver puts into methods. The aspect finds the application context to which
 * a call belongs and runs the call through that context's interceptor.
 */
@NullMarked
package io.github.lockstarter.aop.weave;

import org.jspecify.annotations.NullMarked;
