package io.github.lockstarter.registry;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Rules;
import io.github.lockstarter.lock.Terms;
import org.jspecify.annotations.Nullable;

/** A lock that one thread holds: its lease, and how often the thread has entered. Used only by that thread. */
final class Hold extends ThreadHolds.Key {

    /** A nested hold that has changed how long the grant is renewed, with the previous values. */
    private record Level(
            int count,
            Terms termsBefore,
            long renewUntilBefore,
            @Nullable Level outer) {

        /**
         * Returns the levels after the given hold has ended before holds that are nested in it. These move outwards by
         * one.
         */
        @Nullable
        Level without(int ended) {
            if (this.count <= ended) {
                return this;
            }
            Level rest = this.outer != null ? this.outer.without(ended) : null;
            int moved = this.count - 1;
            // The outermost hold has no previous values to restore, and one level for each hold is enough.
            boolean needless = moved == 1 || (rest != null && rest.count() == moved);
            return needless ? rest : new Level(moved, this.termsBefore, this.renewUntilBefore, rest);
        }
    }

    LeaseHandle lease;

    /**
     * Request of a reader that uses the lease of the writer, which this thread holds as well, or {@code null} if the
     * hold has a separate lease.
     */
    @Nullable
    LockRequest underWriter;

    /**
     * How often the thread has entered. At 0, it has not entered yet or the last hold has ended: the thread does not
     * hold the lock, even if an error has left this object among its holds.
     */
    int count;

    private @Nullable Level level;

    /** The terms by which the grant is renewed at present. */
    private Terms terms;

    /**
     * Creates the hold of a thread.
     *
     * @param count how often the thread has entered
     */
    Hold(LockRequest request, LeaseHandle lease, int count) {
        super(request.lockName(), request.mode());
        this.lease = lease;
        this.terms = lease.grant.terms;
        this.count = count;
    }

    /**
     * Creates the hold of a reader in the thread of the writer. It needs no grant as long as the writer has one, and is
     * not entered yet.
     */
    static Hold readerUnder(Hold writer, LockRequest request) {
        Hold hold = new Hold(request, writer.lease, 0);
        hold.terms = writer.terms;
        hold.underWriter = request;
        return hold;
    }

    /** Continues with the grant of a reader, because the writer has been downgraded. */
    void downgraded(LeaseHandle reader) {
        this.lease = reader;
        this.terms = reader.grant.terms;
        this.underWriter = null;
        // The grant is renewed as the reader requests, and there are no previous values to restore.
        this.level = null;
    }

    /**
     * Enters again. A nested hold can extend the lease or its renewal, and never shortens it. It sends a command to the
     * store only if it requests a lease that is longer than the remaining one.
     */
    void enter(LockRequest request) {
        this.lease.ensureHeld();
        Engine engine = this.lease.operations.engine();
        Grant grant = this.lease.grant;
        Terms wanted = this.lease.operations.terms().of(request);
        long until = wanted.isRenewed() ? Moment.sum(engine.now().nanos(), wanted.maxHold()) : Moment.BEFORE;
        boolean isRenewedAlready = until != Moment.BEFORE && grant.renewUntil != Moment.BEFORE;
        if (!isRenewedAlready && Rules.usable(wanted.lease()) > engine.remaining(grant)) {
            this.lease.lengthen(wanted.lease());
        }
        if (wanted.minHold() > 0) {
            engine.change(grant, (lock, now) -> lock.keep(grant, wanted.minHold(), now));
        }
        int entered = Math.addExact(this.count, 1);
        if (until > grant.renewUntil) {
            Level inner = new Level(entered, this.terms, grant.renewUntil, this.level);
            engine.change(grant, (lock, now) -> lock.renewUntil(grant, wanted, until, now));
            this.level = inner;
            this.terms = wanted;
        }
        // The count changes last, because every call before may exhaust the stack, and the caller would then not leave
        // the hold.
        this.count = entered;
    }

    /**
     * Ends one of several holds. If a hold that is nested in it outlives it, that hold takes its position, and the
     * grant is renewed for as long as it requires.
     *
     * @param number number of the hold, counted from the outermost, which is 1
     */
    void leave(int number) {
        Level current = this.level;
        int innermost = this.count;
        if (number != innermost) {
            this.level = current != null ? current.without(number) : null;
        } else if (current != null && current.count() == number) {
            Grant grant = this.lease.grant;
            Terms terms = current.termsBefore();
            this.terms = terms;
            this.level = current.outer();
            long until = current.renewUntilBefore();
            this.lease.operations.engine().change(grant, (lock, now) -> lock.renewUntil(grant, terms, until, now));
        }
        this.count = innermost - 1;
    }

    /** Ends a hold whose thread cannot leave it, because of an error such as an exhausted stack. */
    void abandon() {
        if (this.count > 0) {
            this.count--;
        }
        if (this.count == 0 && this.underWriter == null) {
            this.lease.operations.engine().unclaimed(this.lease.grant);
        }
    }
}
