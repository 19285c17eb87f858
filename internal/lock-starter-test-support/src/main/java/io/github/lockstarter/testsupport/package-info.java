/**
 * What tests of a lock need from the outside world: a real Redis that can be killed and frozen, a network that can be
 * broken, a second JVM.
 */
@NullMarked
package io.github.lockstarter.testsupport;

import org.jspecify.annotations.NullMarked;
