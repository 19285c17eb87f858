package io.github.lockstarter.testsupport.history;

/**
 * The kinds of events. An event has a token, a second time or a text only where its kind states it.
 */
public enum EventKind {
    /** An acquire begins. Time: until when it may wait. */
    ACQUIRE,
    /** The lock was granted. Token; time: until when the owner may rely on it without another look. */
    GRANTED,
    /** The lock was refused because another owner had it. */
    NOT_GRANTED,
    /** The wait was cancelled or interrupted. */
    WITHDRAWN,
    /** The acquire failed: the store could not be asked, or refused. */
    FAILED,
    /** The acquire failed with an unknown outcome. */
    UNKNOWN,
    /** The library has reported the lock as held. Token; time: as for {@link #GRANTED}. */
    HELD,
    /** The owner was notified that the lock is lost, or the library has reported it. Token; text: the reason. */
    LOST,
    /** A release begins. Token. */
    RELEASE,
    /** The release has returned that the lock was held until then. Token. */
    RELEASED,
    /** The release has returned that the lock was not held any more. Token. */
    NOT_OURS,
    /** The release has failed, so that its outcome is unknown. Token; text: the reason. */
    RELEASE_FAILED,
    /** An instance noticed that it had stood still. Time: since when. */
    STOOD_STILL,
    /**
     * A trouble begins. Its number is in place of the attempt, and its victim in place of the lock. Text: the trouble.
     */
    FAULT,
    /** The trouble of that number ends. */
    HEALED,
    /** The instance whose name is in place of the lock was killed. */
    KILLED,
    /** A leader role has reported that this instance led without a break. Time: since when. */
    LED,
    /** A listener was notified that the leadership is at risk. Token. */
    AT_RISK,
    /** A listener was notified of the end of the leadership. Token; text: the reason. */
    REVOKED,
    /** The state of a leader role in this instance has changed. Text: the state. */
    STATE,
    /** The start of a bean of a leader role begins. Token; text: {@code deaf} if it ignores interrupts. */
    BEAN_STARTING,
    /** The stop of a bean of a leader role begins. Token. */
    BEAN_STOPPING,
    /** A bean of a leader role has stopped. Token. */
    BEAN_STOPPED,
    /** A call that only the leader runs has begun. Its number is in place of the attempt. Token; time: 1 if it led. */
    CALL_BEGUN,
    /** The call of that number has ended. Token. */
    CALL_ENDED
}
