package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A wait of the thread that has created it, which parks. */
final class ThreadWait extends Wait {

    private final Thread thread = Thread.currentThread();

    /** Null: there is none so far. */
    volatile @Nullable Grant grant;

    /** How the wait has ended without a grant; null: it has not. */
    volatile @Nullable Refusal refusal;

    ThreadWait(LockRequest request, long waitTime, Terms terms, Owner owner) {
        super(request, waitTime, terms, owner);
    }

    boolean isOver() {
        return this.grant != null || this.refusal != null;
    }

    @Override
    void granted(Grant granted, Effects.Way way) {
        this.grant = granted;
        wake();
    }

    @Override
    void refused(Refusal refused) {
        this.refusal = refused;
        wake();
    }

    private void wake() {
        if (Thread.currentThread() != this.thread) {
            LockSupport.unpark(this.thread);
        }
    }
}
