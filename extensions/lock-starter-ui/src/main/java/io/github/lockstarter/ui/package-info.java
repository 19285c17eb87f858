/**
 * The locks page: shows the locks of all instances in a browser, and releases them by force where that is permitted.
 */
@NullMarked
package io.github.lockstarter.ui;

import org.jspecify.annotations.NullMarked;
