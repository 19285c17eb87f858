package io.github.lockstarter.history;

/** One attempt to get a lock, and what came of it; null: it did not happen, or there was no answer. */
final class Attempt {

    final Event invoked;

    Event granted;

    Event ended;

    /** The first news of the loss. */
    Event lost;

    Event release;

    Event released;

    long believedUntil;

    long lastSeenHeld;

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
                // nothing about the lock
            }
        }
    }

    String name() {
        return nameOf(this.invoked);
    }

    String instance() {
        return this.invoked.instance();
    }

    String lock() {
        return this.invoked.lock();
    }

    boolean isGranted() {
        return this.granted != null;
    }

    long token() {
        return this.granted.token();
    }

    /**
     * Whether anything was left of the grant when it arrived: a thread may not get its turn before the lease is over.
     */
    boolean wasBelieved() {
        return this.believedUntil > this.granted.at();
    }

    /** The last moment at which the owner could still rely on it. */
    long endOfBelief() {
        long end = this.believedUntil;
        if (this.release != null) {
            end = Math.min(end, this.release.at());
        }
        if (this.lost != null) {
            end = Math.min(end, this.lost.at());
        }
        return Math.max(end, this.lastSeenHeld);
    }

    @Override
    public String toString() {
        return name() + (isGranted() ? " (token " + token() + ')' : "");
    }
}
