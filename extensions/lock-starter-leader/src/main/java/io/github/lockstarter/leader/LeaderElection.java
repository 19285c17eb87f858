package io.github.lockstarter.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The leader roles of this instance. Thread-safe; no method waits for listeners or beans of a role.
 *
 * <p>All methods throw {@link IllegalArgumentException} for a role that neither an annotation nor a property names.
 */
public interface LeaderElection {

    /** Returns the roles that annotations and properties name. */
    Set<String> roles();

    /**
     * Returns whether this instance leads, according to local knowledge. True only while the lease of the role cannot
     * have expired in the store. No I/O. As with {@link io.github.lockstarter.Lease#isHeld()}, code that is paused
     * after the check can act when another instance leads.
     */
    boolean isLeader(String role);

    /**
     * Returns the leader of the role, whichever instance it is, or empty if there is none. Blocks for at most two
     * command timeouts.
     *
     * @throws io.github.lockstarter.LockStoreException if the store does not answer
     */
    Optional<Leader> leader(String role);

    /**
     * Gives up the role and contends for it again after the role's {@code retry-delay}, as {@link #cede(String,
     * Duration)} does.
     */
    void cede(String role);

    /**
     * Gives up the role, and does not contend for it for that time. Returns immediately: {@link #isLeader} is false
     * from then on, {@link LeadershipRevokedEvent} is published, the beans of the role stop, and after that the lock is
     * released. If no other instance contends, there is no leader for this time.
     *
     * @param pause time from the release to the next contention, from zero to 366 days
     * @throws IllegalStateException if this instance does not lead
     * @throws IllegalArgumentException if the time is out of range
     */
    void cede(String role, Duration pause);

    /**
     * Contends for the role from now on, after its {@code contend-delay}. Has no effect if this instance contends
     * already. Needed for roles with {@code auto-start=false}, and after {@link #stop}.
     */
    void start(String role);

    /** Gives up the role as {@link #cede(String)} does if this instance leads, and does not contend for it again. */
    void stop(String role);
}
