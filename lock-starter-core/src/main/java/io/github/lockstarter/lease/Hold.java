package io.github.lockstarter.lease;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
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

    private final LockMode mode;

    private LeaseHandle lease;

    /** Request of a reader that uses the lease of the writer, which this thread holds as well; null: it does not. */
    private @Nullable LockRequest underWriter;

    private int count = 1;

    private @Nullable Level level;

    Hold(LeaseHandle lease) {
        this.mode = lease.grant().request().mode();
        this.lease = lease;
    }

    /**
     * Creates the hold of a reader in the thread of the writer, which needs no grant as long as the writer has one. It has yet
     * to be entered.
     */
    static Hold readerUnder(Hold writer, LockRequest request) {
        Hold hold = new Hold(writer.lease, LockMode.READ);
        hold.underWriter = request;
        hold.count = 0;
        return hold;
    }

    private Hold(LeaseHandle lease, LockMode mode) {
        this.mode = mode;
        this.lease = lease;
    }

    /** Returns whether the lease is that of the writer, whose hold ends later or becomes that of a reader. */
    boolean isUnderWriter() {
        return this.underWriter != null;
    }

    /** Returns what the reader has requested that uses the lease of the writer; null: it has a lease of its own. */
    @Nullable
    LockRequest requestUnderWriter() {
        return this.underWriter;
    }

    /** Goes on with the grant of a reader, because the writer has been downgraded. */
    void downgraded(LeaseHandle reader) {
        this.lease = reader;
        this.underWriter = null;
    }

    LockMode mode() {
        return this.mode;
    }

    String lockName() {
        return this.lease.grant().lockName();
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
