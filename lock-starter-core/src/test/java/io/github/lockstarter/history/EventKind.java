package io.github.lockstarter.history;

/**
 * What a line of a history states. Unless it says so here, an event has neither a token nor a second time nor a text.
 */
enum EventKind {
    /** An acquire begins. Time: until when it may wait. */
    ACQUIRE,
    /** It has the lock. Token; time: until when it may believe that without looking again. */
    GRANTED,
    /** The lock was refused because another owner had it. */
    NOT_GRANTED,
    /** It gave up by itself: cancelled, or interrupted. */
    WITHDRAWN,
    /** The acquire failed: the store could not be asked, or refused. */
    FAILED,
    /** The acquire failed with an unknown outcome. */
    UNKNOWN,
    /** The owner looked, and the lease was held. Token; time: as for {@link #GRANTED}. */
    HELD,
    /** The owner was notified that the lease is lost, or saw it. Token; text: the reason. */
    LOST,
    /** A release begins. Token. */
    RELEASE,
    /** The release has returned that the lock was held until then. Token. */
    RELEASED,
    /** The release has returned that the lock was not held any more. Token. */
    NOT_OURS,
    /** An instance noticed that it had stood still. Time: since when. */
    STOOD_STILL,
    /** Trouble begins, with a number in place of the attempt, for the instance in place of the lock, or for all. */
    FAULT,
    /** The trouble of that number ends. */
    HEALED,
    /** The instance in place of the lock is no more. */
    KILLED
}
