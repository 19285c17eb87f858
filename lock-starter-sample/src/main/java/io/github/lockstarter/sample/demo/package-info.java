/**
 * The demonstration without a browser: {@code --demo}. An application needs nothing of it. Start with {@link
 * io.github.lockstarter.sample.demo.Demonstration}.
 */
@NullMarked
package io.github.lockstarter.sample.demo;

import org.jspecify.annotations.NullMarked;
