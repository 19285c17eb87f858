/** Where grants are kept: the interface that a store implements, and the one that lives in memory. */
@NullMarked
package io.github.lockstarter.store;

import org.jspecify.annotations.NullMarked;
