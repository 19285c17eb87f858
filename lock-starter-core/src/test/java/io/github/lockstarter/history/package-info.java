/**
 * Histories of locks, and what must be true of them.
 *
 * <p>A {@link io.github.lockstarter.history.Fleet} of processes wants the same locks while a
 * {@link io.github.lockstarter.history.Trouble} stops, kills and cuts off processes. Each process logs
 * the replies that it gets, in files of plain lines ({@link io.github.lockstarter.history.Event}). Afterwards the
 * {@link io.github.lockstarter.history.HistoryChecker}, which is independent of how the locks work, reports violations:
 *
 * <ul>
 *   <li>{@code belief}: two owners at once, each with good reason to believe that it is the only one
 *   <li>{@code tokens}: a fencing token that is not larger than one which was known before
 *   <li>{@code notice}: the lock is granted again before its last owner was notified of the loss
 *   <li>{@code waiting}: a wait that does not end in time
 * </ul>
 *
 * <p>{@code HistoryCheckerTest} shows by histories that were written by hand that it finds violations.
 */
package io.github.lockstarter.history;
