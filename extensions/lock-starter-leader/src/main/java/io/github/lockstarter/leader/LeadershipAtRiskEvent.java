package io.github.lockstarter.leader;

import java.time.Duration;

/**
 * Published when a renewal of the role's lease failed or is late. This instance is still the leader.
 *
 * @param role the role
 * @param epoch the fencing token
 * @param remaining time until the role is lost unless a renewal succeeds, when the risk was detected
 */
public record LeadershipAtRiskEvent(String role, long epoch, Duration remaining) implements LeadershipEvent {}
