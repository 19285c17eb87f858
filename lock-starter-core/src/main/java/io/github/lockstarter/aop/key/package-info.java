/**
 * Internal: the SpEL expressions of the annotations, keys and conditions. They are parsed and checked at
 * start-up and evaluated once for each call. The package knows an annotation only as an {@link
 * io.github.lockstarter.aop.key.ExpressionSite}.
 */
@NullMarked
package io.github.lockstarter.aop.key;

import org.jspecify.annotations.NullMarked;
