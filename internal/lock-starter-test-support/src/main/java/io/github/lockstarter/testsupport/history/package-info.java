/**
 * Histories of locks in worker processes under faults, and a checker of them. Nothing here knows a library of locks: a
 * worker uses one through {@link io.github.lockstarter.testsupport.history.LockUnderTest}.
 *
 * <p>The processes of a {@link io.github.lockstarter.testsupport.history.Fleet} acquire the same locks while each
 * {@link io.github.lockstarter.testsupport.history.Trouble} stops, kills or cuts off processes. Each process logs the
 * replies that it receives, as lines in a file ({@link io.github.lockstarter.testsupport.history.Event}). Afterwards,
 * the {@link io.github.lockstarter.testsupport.history.HistoryChecker} reports what violates a
 * {@link io.github.lockstarter.testsupport.history.Rule}.
 */
@NullMarked
package io.github.lockstarter.testsupport.history;

import org.jspecify.annotations.NullMarked;
