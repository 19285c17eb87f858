/**
 * A ticket office: the example of lock-starter. Start reading at {@code tickets.TicketOffice}; the package {@code
 * redis} only saves you the installation of a Redis.
 */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
