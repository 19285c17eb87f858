/**
 * Leader roles of Spring applications. The API consists of {@link io.github.lockstarter.leader.LeaderOnly}, {@link
 * io.github.lockstarter.leader.LeaderElection}, {@link io.github.lockstarter.leader.Leader} and the events.
 */
@NullMarked
package io.github.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
