package io.github.lockstarter.leader;

/**
 * Published when this instance has become the leader, before the beans of the role start. If a listener throws, the
 * role is given up as by {@link LeaderElection#cede(String)}.
 *
 * @param role the role
 * @param epoch the fencing token
 */
public record LeadershipGrantedEvent(String role, long epoch) implements LeadershipEvent {}
