package io.github.lockstarter.lease.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which instance a refused call names as the holder of its lock. */
class LockHoldersTest extends AcquisitionFixture {

    private static final String OTHER = "0123456789a-0123456789";

    private static final String THIRD = "0123456789b-0123456789";

    @Test
    void shouldNameTheHolderThatTheStoreHasNamed() {
        LockHolder other = new LockHolder("0123456789a", "billing", "host-7", 4711L, Instant.EPOCH);
        Acquisition acquisition = acquisition(LockRequest.FOREVER);
        refuse(acquisition, OTHER, 0);

        assertThat(refusalBy(acquisition).getMessage()).contains("held by instance 0123456789a.");
        assertThat(refusalBy(acquisition).holder()).isEqualTo(new LockHolder("0123456789a"));

        this.store.publishInstance(other, 10_000);
        this.instances.seen(OTHER);
        assertThat(refusalBy(acquisition).getMessage())
                .contains("held by billing@host-7 (pid 4711).")
                .doesNotContain("another lease of the caller");
        assertThat(refusalBy(acquisition).holder()).isEqualTo(other);

        refuse(acquisition, "older id", 0);
        assertThat(refusalBy(acquisition).holder()).isEqualTo(new LockHolder("older id"));
    }

    @Test
    void shouldNameThisInstanceIfItHoldsTheLock() {
        Acquisition holder = acquisition(REQUEST, Duration.ZERO);
        assertThat(attempt(holder)).isNotNull();
        Acquisition refused = acquisition(REQUEST, Duration.ZERO);

        assertThat(refusalBy(refused).getMessage()).contains("held by this instance.", "another lease of the caller");
        assertThat(refusalBy(refused).holder().instance()).isEqualTo(this.ids.instance());
        assertThat(refusalBy(refused).holder().application()).isEqualTo("shop");
    }

    @Test
    void shouldNameOneOfSeveralReaders() {
        Acquisition writer = acquisition(LockRequest.FOREVER);
        refuse(writer, THIRD + ".r", 1);
        assertThat(refusalBy(writer).getMessage())
                .contains("Lock 'orders:42' is held by a reader, instance 0123456789b.");

        refuse(writer, OTHER + ".r", 2);
        assertThat(refusalBy(writer).getMessage())
                .contains("Lock 'orders:42' is held by 2 readers, one of them instance 0123456789a.");
        assertThat(refusalBy(writer).holder()).isEqualTo(new LockHolder("0123456789a"));

        Acquisition reader = acquisition(REQUEST.withMode(LockMode.READ), LockRequest.FOREVER);
        refuse(reader, this.ids.next() + ".r", 1);
        assertThat(refusalBy(reader).getMessage())
                .contains("is held by a reader, this instance, and earlier requests wait.");
    }

    @Test
    void shouldCountThePermitsInUse() {
        Acquisition two = acquisition(REQUEST.withPermits(2, 5), LockRequest.FOREVER);
        refuse(two, OTHER + ".s4.5", 4);
        assertThat(refusalBy(two).getMessage())
                .contains("Semaphore 'orders:42' has 4 of 5 permits in use by instance 0123456789a.");

        refuse(two, OTHER + ".s1.5", 3);
        assertThat(refusalBy(two).getMessage())
                .contains(
                        "has 3 of 5 permits in use, one of the holders is instance 0123456789a, and earlier requests wait.");
    }

    /** Of a store that does not name the owner. */
    @Test
    void shouldSayWhatIsTrueOfUnknownHolders() {
        LockRequest permits = REQUEST.withPermits(2, 5);
        Acquisition refused = acquisition(permits, Duration.ZERO);
        Acquisition writer = acquisition(REQUEST, Duration.ZERO);
        assertThat(refusalBy(refused).getMessage())
                .contains("Semaphore 'orders:42' did not grant 2 of 5 permits, which others hold or wait for.");
        assertThat(refusalBy(refused).holder()).isNull();
        assertThat(refusalBy(writer).getMessage()).contains("Lock 'orders:42' is held by another owner.");

        SharedGrant grant = (SharedGrant) this.grants.create(
                permits,
                this.ids.next() + ".s2.5",
                7,
                30_000,
                null,
                this.clock.nanoTime(),
                this.clock.currentTimeMillis());
        this.shared.began(grant);
        assertThat(refusalBy(refused).getMessage()).contains("which this instance and perhaps others hold.");
        assertThat(refusalBy(refused).holder().instance()).isEqualTo(this.ids.instance());
        assertThat(refusalBy(writer).getMessage()).contains("is held by readers, one of them this instance.");

        this.shared.ended(grant);
        assertThat(refusalBy(refused).holder()).isNull();
    }

    /** The others of its queue in this JVM do not ask. */
    @Test
    void shouldNameTheHolderThatWasNamedToTheFirstOfItsQueue() {
        LockRequest reading = REQUEST.withMode(LockMode.READ);
        Acquisition asking = acquisition(reading, LockRequest.FOREVER);
        QueueNode<Grant> first = this.queues.enter("orders:42", asking);
        refuse(asking, OTHER, 0);
        Acquisition behind = acquisition(reading, LockRequest.FOREVER);
        QueueNode<Grant> second = this.queues.enter("orders:42", behind);

        assertThat(first.isLast()).isFalse();
        assertThat(second.isDone()).isFalse();
        assertThat(refusalBy(behind).holder()).isEqualTo(new LockHolder("0123456789a"));
        assertThat(refusalBy(acquisition(REQUEST, LockRequest.FOREVER)).holder())
                .as("of another queue")
                .isNull();
    }

    private static void refuse(Acquisition acquisition, String owner, int used) {
        acquisition.refused(new AcquireReply.Taken(1000, owner, 7, used, 500));
    }

    private LockNotGrantedException refusalBy(Acquisition acquisition) {
        return (LockNotGrantedException) this.reports.gaveUp(acquisition);
    }
}
