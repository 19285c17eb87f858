package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** Interleavings of the steps of a grant: each is atomic, and exactly one of them ends its life. */
public class GrantModelTest {

    private final Grant grant = new Grant(LockRequest.of("orders:42"), "id", 7, 0, Thread.currentThread());

    private final AtomicInteger ends = new AtomicInteger();

    private final AtomicInteger conclusions = new AtomicInteger();

    private boolean ended(boolean now) {
        if (now) {
            this.ends.incrementAndGet();
        }
        return now;
    }

    @Operation
    public boolean atRisk() {
        return this.grant.atRisk();
    }

    @Operation
    public boolean recover() {
        return this.grant.recover();
    }

    @Operation
    public boolean expire() {
        return ended(this.grant.lose(LossReason.EXPIRED));
    }

    @Operation
    public boolean loseToAnother() {
        return ended(this.grant.lose(LossReason.TAKEN_OVER));
    }

    @Operation
    public boolean beginRelease() {
        return ended(this.grant.beginRelease());
    }

    @Operation
    public boolean loseInRelease() {
        boolean lost = this.grant.loseInRelease(LossReason.DELETED);
        if (lost) {
            this.conclusions.incrementAndGet();
        }
        return lost;
    }

    @Operation
    public void endRelease() {
        this.grant.endRelease();
    }

    @Operation
    public GrantState state() {
        return this.grant.state();
    }

    @Validate
    public void shouldEndAtMostOnce() {
        boolean live = this.grant.state().isLive();
        if (this.ends.get() != (live ? 0 : 1) || this.conclusions.get() > 1) {
            throw new IllegalStateException(
                    this.ends + " ends, " + this.conclusions + " losses in release, and it is " + this.grant.state());
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(50)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(GrantModelTest.class);
    }
}
