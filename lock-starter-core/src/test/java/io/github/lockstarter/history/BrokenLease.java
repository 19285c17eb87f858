package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** A lease of a lock that is broken on purpose: it believes in itself until then, and nobody ever tells it anything. */
final class BrokenLease implements Lease {

    private final String name;

    private final long token;

    private final long until;

    private final BooleanSupplier giveBack;

    private boolean released;

    BrokenLease(String name, long token, long until, BooleanSupplier giveBack) {
        this.name = name;
        this.token = token;
        this.until = until;
        this.giveBack = giveBack;
    }

    @Override
    public String name() {
        return this.name;
    }

    @Override
    public long fencingToken() {
        return this.token;
    }

    @Override
    public State state() {
        if (this.released) {
            return State.RELEASED;
        }
        return isHeld() ? State.HELD : State.LOST;
    }

    @Override
    public boolean isHeld() {
        return !remaining().isZero();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(this.released ? 0 : Math.max(0, this.until - System.nanoTime()));
    }

    @Override
    public void ensureHeld() {
        ensureHeld(Duration.ofNanos(1));
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        if (remaining().compareTo(atLeast) < 0) {
            throw new LockLostException("lost: " + this.name, this.name, this.token, LossReason.EXPIRED);
        }
    }

    @Override
    public CompletionStage<LossReason> lost() {
        return new CompletableFuture<>();
    }

    @Override
    public void extend(Duration atLeast) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean releaseAfter(Duration delay) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Boolean> releaseAsync(Duration delay) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean release() {
        this.released = true;
        return this.giveBack.getAsBoolean();
    }

    @Override
    public void close() {
        release();
    }
}
