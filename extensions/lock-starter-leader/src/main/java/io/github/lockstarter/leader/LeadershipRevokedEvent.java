package io.github.lockstarter.leader;

/**
 * Published when this instance is no longer the leader, before the beans of the role stop. Each epoch that was granted
 * is revoked once.
 *
 * @param role the role
 * @param epoch the fencing token
 * @param reason why the leadership ended
 */
public record LeadershipRevokedEvent(String role, long epoch, Reason reason) implements LeadershipEvent {

    /** Reasons for the end of a leadership. */
    public enum Reason {
        /** The lease was lost. Another instance may become the leader as soon as it has expired in the store. */
        LOST,
        /**
         * {@link LeaderElection#cede} was called. The lock is still held, and is released when the beans have stopped.
         */
        CEDED,
        /** A listener of {@link LeadershipGrantedEvent} or the start of a bean threw. The lock is still held. */
        FAILED,
        /** The application or {@link LeaderElection#stop} ends the contention. The lock is still held. */
        STOPPED
    }
}
