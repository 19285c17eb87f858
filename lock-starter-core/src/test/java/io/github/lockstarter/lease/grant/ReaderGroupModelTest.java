package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of a reader that joins a grant of its JVM, and of the first one, which ends: it releases the acquisition in
 * the store only if no other reader relies on it, and some reader releases it.
 */
public class ReaderGroupModelTest {

    private static final LockRequest READ = LockRequest.of("orders:42").withMode(LockMode.READ);

    private final SharedGrant first = new SharedGrant(READ, "id", 7, 0, null);

    private volatile SharedGrant member;

    private volatile boolean memberWasLast;

    private volatile boolean firstWasLast;

    private volatile boolean firstReleases;

    @Operation(runOnce = true)
    public void join() {
        if (this.first.group().join()) {
            this.member = new SharedGrant(this.first, READ, 1, null);
        }
    }

    /** The first reader has lost its lease, and its owner unlocks after that. */
    @Operation(runOnce = true)
    public void end() {
        this.firstWasLast = this.first.leaveGroup();
        if (this.firstWasLast) {
            this.first.group().close();
        }
        this.firstReleases = this.first.wasLast();
    }

    @Validate
    public void shouldBeReleasedByTheLast() {
        boolean joined = this.member != null;
        if (joined && !this.memberWasLast) {
            this.memberWasLast = this.member.leaveGroup();
        }
        if (this.firstReleases && joined) {
            throw new IllegalStateException("released although another reader relies on it");
        }
        if (this.firstWasLast == joined || this.memberWasLast != joined) {
            throw new IllegalStateException("last: " + this.firstWasLast + ", " + this.memberWasLast);
        }
    }

    @Test
    void shouldHoldInEveryInterleaving() {
        Interleavings.check(ReaderGroupModelTest.class, 2, 100);
    }
}
