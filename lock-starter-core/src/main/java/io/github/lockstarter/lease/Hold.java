package io.github.lockstarter.lease;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.LeaseHandle;
import org.jspecify.annotations.Nullable;

/** A lock held by one thread: its grant, and how often the thread has entered. Used by that thread alone. */
final class Hold {

    /** A nested hold that changed how long the grant is renewed, and what was there before. */
    private record Level(
            int count, long renewUntilBefore, @Nullable Level outer) {

        /** The levels when that hold ends before those inside of it, which move outwards by one. */
        @Nullable
        Level without(int ended) {
            if (this.count <= ended) {
                return this;
            }
            Level rest = this.outer != null ? this.outer.without(ended) : null;
            int moved = this.count - 1;
            // There is nothing outside of the outermost hold to go back to, and one level a hold is enough.
            boolean needless = moved == 1 || (rest != null && rest.count() == moved);
            return needless ? rest : new Level(moved, this.renewUntilBefore, rest);
        }
    }

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

    /** Renews the grant until that time for the hold that was entered last; ends with that hold. */
    void renewUntil(long renewUntil) {
        this.level = new Level(this.count, grant().renewUntil(), this.level);
        grant().setRenewUntil(renewUntil);
    }

    /**
     * Ends one of several holds, counted from the outermost, which is 1. A hold that was entered inside of it and outlives
     * it takes its position, and the grant is renewed for as long as that hold requires.
     */
    void leave(int number) {
        Level current = this.level;
        if (number == this.count) {
            if (current != null && current.count() == number) {
                grant().setRenewUntil(current.renewUntilBefore());
                this.level = current.outer();
            }
        } else {
            this.level = current != null ? current.without(number) : null;
        }
        this.count--;
    }
}
