/**
 * Keys and conditions of annotated methods: expressions that are checked when the application starts, and the
 * conversion of their results to texts that must be the same in every JVM. Internal: not part of the API, may change in
 * any release.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
