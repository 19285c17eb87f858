/**
 * Histories of locks, and what must be true of them.
 *
 * <p>A {@link io.github.lockstarter.history.Fleet} of processes wants the same locks while a
 * {@link io.github.lockstarter.history.Trouble} stops, kills and cuts off processes. Everybody writes down what he was
 * told, in files of plain lines ({@link io.github.lockstarter.history.Event}). Afterwards the
 * {@link io.github.lockstarter.history.HistoryChecker}, which knows nothing of how the locks work, says what cannot be:
 *
 * <ul>
 *   <li>{@code belief}: two owners at once, each with good reason to believe that it is the only one
 *   <li>{@code tokens}: a fencing token that is not larger than one which was known before
 *   <li>{@code notice}: somebody has the lock before its last owner was told of the loss
 *   <li>{@code waiting}: a wait that does not end in time, or for a lock that nobody has
 *   <li>{@code honesty}: "somebody else has it" when nobody can have it
 * </ul>
 *
 * <p>That it finds what is wrong is shown by histories that were written by hand, in {@code HistoryCheckerTest}.
 */
package io.github.lockstarter.history;
