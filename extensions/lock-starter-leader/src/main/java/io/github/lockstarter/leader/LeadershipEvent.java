package io.github.lockstarter.leader;

/**
 * Common interface of the events of a leader role, which are published as application events on a thread of the role.
 * The thread delivers them one after the other; listeners should therefore return soon.
 */
public sealed interface LeadershipEvent permits LeadershipGrantedEvent, LeadershipAtRiskEvent, LeadershipRevokedEvent {

    /** Returns the role. */
    String role();

    /**
     * Returns the fencing token of the role's lock. It is the same for all events of one leadership, and larger than
     * those of all earlier leaders of the role.
     */
    long epoch();
}
