package io.github.lockstarter.registry;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Rules;
import io.github.lockstarter.lock.Terms;
import org.jspecify.annotations.Nullable;

/** A lock held by one thread: its lease, and how often the thread has entered. Used by that thread alone. */
final class Hold extends ThreadHolds.Key {

    /** A nested hold that changed how long the grant is renewed, and what was there before. */
    private record Level(
            int count,
            Terms termsBefore,
            long renewUntilBefore,
            @Nullable Level outer) {

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
            return needless ? rest : new Level(moved, this.termsBefore, this.renewUntilBefore, rest);
        }
    }

    LeaseHandle lease;

    /**
     * Request of a reader that uses the lease of the writer, which this thread holds as well; null: it has a lease of
     * its own.
     */
    @Nullable
    LockRequest underWriter;

    /**
     * How often the thread has entered; 0: it has not yet, or the last hold has ended. Then the thread holds it no
     * more, also if an error has kept it among its holds.
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
     * Creates the hold of a reader in the thread of the writer, which needs no grant as long as the writer has one. It
     * has yet to be entered.
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
        // The grant is renewed as the reader requests; there is nothing to go back to.
        this.level = null;
    }

    /**
     * Enters again. A nested hold can extend the lease or its renewal, and never shortens it; it causes a command to
     * the store only if it requests a longer lease than is left.
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
        // Only now: every call may have exhausted the stack, and the caller would not leave.
        this.count = entered;
    }

    /**
     * Ends one of several holds, counted from the outermost, which is 1. A hold that was entered inside of it and
     * outlives it takes its position, and the grant is renewed for as long as that hold requires.
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
