package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.OwnCommand;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Sent;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.store.Command;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A wait of the thread that has created it. The thread executes the first command and then parks. */
public final class ThreadWait extends Wait implements OwnCommand {

    private final Thread thread = Thread.currentThread();

    final boolean interruptible;

    /** The grant, or {@code null} if the wait has none so far. */
    public volatile @Nullable Grant grant;

    /** The outcome of a wait that has ended without a grant, or {@code null}. */
    public volatile @Nullable Refusal refusal;

    /**
     * Creates a wait of the calling thread.
     *
     * @param interruptible whether an interrupt ends the wait; otherwise it is deferred until the wait has ended
     */
    public ThreadWait(LockRequest request, long waitTime, Terms terms, Owner owner, boolean interruptible) {
        super(request, waitTime, terms, owner);
        this.interruptible = interruptible;
    }

    @Override
    public boolean takes(Sent sent) {
        return sent.command instanceof Command.Acquire;
    }

    @Override
    public boolean isInterruptible() {
        return this.interruptible;
    }

    boolean isOver() {
        return this.grant != null || this.refusal != null;
    }

    @Override
    public void granted(Grant granted, Effects.Way way) {
        this.grant = granted;
        wake();
    }

    @Override
    public void refused(Refusal refused) {
        this.refusal = refused;
        wake();
    }

    private void wake() {
        if (Thread.currentThread() != this.thread) {
            LockSupport.unpark(this.thread);
        }
    }
}
