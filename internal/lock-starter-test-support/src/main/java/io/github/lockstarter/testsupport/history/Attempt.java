package io.github.lockstarter.testsupport.history;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock, and its outcome. An event is {@code null} if it did not happen, or was not answered.
 */
public final class Attempt {

    private final Event invoked;

    private @Nullable Event granted;

    private @Nullable Event ended;

    /** The first notice of the loss. */
    private @Nullable Event lost;

    private @Nullable Event release;

    private @Nullable Event released;

    private long believedUntil;

    private long lastSeenHeld;

    Attempt(Event invoked) {
        this.invoked = invoked;
    }

    static String nameOf(Event event) {
        return event.instance() + '/' + event.attempt();
    }

    void add(Event event) {
        switch (event.kind()) {
            case GRANTED -> {
                this.granted = event;
                this.ended = event;
                this.believedUntil = event.time();
                this.lastSeenHeld = event.at();
            }
            case NOT_GRANTED, WITHDRAWN, FAILED, UNKNOWN -> this.ended = event;
            case HELD -> {
                this.believedUntil = Math.max(this.believedUntil, event.time());
                this.lastSeenHeld = event.at();
            }
            case LOST -> this.lost = this.lost != null ? this.lost : event;
            case RELEASE -> this.release = event;
            case RELEASED, NOT_OURS -> this.released = event;
            default -> {
                // The other events do not change the state of the lock.
            }
        }
    }

    /** Returns the instance and the number of the attempt. */
    public String name() {
        return nameOf(this.invoked);
    }

    public String instance() {
        return this.invoked.instance();
    }

    public String lock() {
        return this.invoked.lock();
    }

    /** Returns when the lock was requested. */
    public Event invoked() {
        return this.invoked;
    }

    public boolean isGranted() {
        return this.granted != null;
    }

    /** Returns the grant of an attempt that {@linkplain #isGranted() was granted}. */
    public Event granted() {
        return Objects.requireNonNull(this.granted);
    }

    @Nullable
    Event ended() {
        return this.ended;
    }

    @Nullable
    Event lost() {
        return this.lost;
    }

    @Nullable
    Event release() {
        return this.release;
    }

    /** Returns when the release was answered, or else when the owner ended its work. */
    public long endOfRelease() {
        return this.released != null ? this.released.at() : endOfWork();
    }

    @Nullable
    Event released() {
        return this.released;
    }

    long lastSeenHeld() {
        return this.lastSeenHeld;
    }

    long token() {
        return granted().token();
    }

    /**
     * Returns when the owner has begun to release the lock, or was notified of its loss, whichever is earlier; the
     * largest number if neither has happened.
     */
    public long endOfWork() {
        long end = this.release != null ? this.release.at() : Long.MAX_VALUE;
        return this.lost != null ? Math.min(end, this.lost.at()) : end;
    }

    /**
     * Returns whether the owner could rely on the grant when it arrived; its thread may run after the lease has ended.
     */
    boolean wasBelieved() {
        return this.believedUntil > granted().at();
    }

    /** Returns the last moment at which the owner could rely on the lock. */
    long endOfBelief() {
        return Math.max(Math.min(this.believedUntil, endOfWork()), this.lastSeenHeld);
    }

    @Override
    public String toString() {
        return name() + (isGranted() ? " (token " + token() + ')' : "");
    }
}
