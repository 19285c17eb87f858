/**
 * The demonstration without a browser: {@code --demo}. An application does not need it. Start with {@link
 * io.github.lockstarter.sample.demo.Demonstration}.
 */
@NullMarked
package io.github.lockstarter.sample.demo;

import org.jspecify.annotations.NullMarked;
