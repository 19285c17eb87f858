package io.github.lockstarter.lease;

import org.jspecify.annotations.Nullable;

/** What one thread holds of one lock: a grant, and how often it was entered. Used by that thread alone. */
final class Hold {

    /** A nested hold that changed how long the grant is renewed, and what was there before. */
    private record Level(
            int count, long renewUntilBefore, @Nullable Level outer) {}

    private final LeaseHandle lease;

    private int count = 1;

    private @Nullable Level level;

    Hold(LeaseHandle lease) {
        this.lease = lease;
    }

    LeaseHandle lease() {
        return this.lease;
    }

    Grant grant() {
        return this.lease.grant();
    }

    int count() {
        return this.count;
    }

    void enter() {
        this.count = Math.addExact(this.count, 1);
    }

    /** The hold that was entered last asks for renewal until that time; it ends with that hold. */
    void renewUntil(long renewUntil) {
        this.level = new Level(this.count, grant().renewUntil(), this.level);
        grant().setRenewUntil(renewUntil);
    }

    /** Ends the innermost of several holds. */
    void leave() {
        if (this.level != null && this.level.count() == this.count) {
            grant().setRenewUntil(this.level.renewUntilBefore());
            this.level = this.level.outer();
        }
        this.count--;
    }
}
