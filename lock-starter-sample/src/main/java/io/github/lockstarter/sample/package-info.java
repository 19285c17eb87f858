/** A ticket office: the example of lock-starter. Start reading at {@code tickets.TicketOffice}. */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
