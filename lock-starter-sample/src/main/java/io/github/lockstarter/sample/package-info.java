/**
 * A ticket office: the example of lock-starter. Start reading at {@code tickets.TicketOffice}; the package {@code
 * backing} only saves the installation of a Redis and a database.
 */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
