/**
 * A ticket office that runs on several instances: the example of lock-starter. Start with {@link
 * io.github.lockstarter.sample.TicketOffice}. The package {@code live} has what the page needs beside it.
 */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
