package io.github.lockstarter.history;

/** What a line of a history tells. Unless it says so here, an event has neither a token nor a second time nor a text. */
enum EventKind {
    /** An acquire begins. Time: until when it may wait. */
    ACQUIRE,
    /** It has the lock. Token; time: until when it may believe that without looking again. */
    GRANTED,
    /** It was told that somebody else had the lock all the time. */
    NOT_GRANTED,
    /** It gave up by itself: cancelled, or interrupted. */
    WITHDRAWN,
    /** It was told that the store could not be asked, or refused. */
    FAILED,
    /** It was told that nobody knows. */
    UNKNOWN,
    /** The owner looked, and the lease was held. Token; time: as for {@link #GRANTED}. */
    HELD,
    /** The owner was told that the lease is lost, or saw it. Token; text: the reason. */
    LOST,
    /** A release begins. Token. */
    RELEASE,
    /** It was told that the lock was its own until now. Token. */
    RELEASED,
    /** It was told that the lock was not its own any more. Token. */
    NOT_OURS,
    /** The store did not answer the release; somebody takes care of it in the background. Token. */
    RELEASE_UNKNOWN,
    /** An instance noticed that it had stood still. Time: since when. */
    STOOD_STILL,
    /** Trouble begins, with a number in place of the attempt, for the instance in place of the lock, or for all. */
    FAULT,
    /** The trouble of that number ends. */
    HEALED,
    /** The instance in place of the lock is no more. */
    KILLED
}
