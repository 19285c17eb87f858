package io.github.lockstarter.lease.holder;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.support.AcquisitionIds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is known of the instances that hold locks, and when the store is asked. */
class InstanceDirectoryTest {

    private final HandClock clock = new HandClock();

    private final PuppetStore store = new PuppetStore();

    private final AcquisitionIds ids = new AcquisitionIds();

    private final ThisInstance own = new ThisInstance(this.ids.instance(), "shop", Instant.EPOCH);

    private final InstanceDirectory directory = new InstanceDirectory(this.store, this.clock, this.own);

    /** Another instance. */
    private final AcquisitionIds theirs = new AcquisitionIds();

    private final String owner = this.theirs.next();

    private final List<String> asked = new ArrayList<>();

    private CompletableFuture<Optional<LockHolder>> reply = new CompletableFuture<>();

    @BeforeEach
    void intervene() {
        this.store.onFindInstance(instance -> {
            this.asked.add(instance);
            return this.reply;
        });
    }

    @Test
    void shouldReadTheDescriptionOnceInTheBackground() {
        this.directory.seen(this.owner);
        this.directory.seen(this.theirs.next());
        assertThat(this.directory.of(this.owner)).isEqualTo(new LockHolder(this.theirs.instance()));

        this.reply.complete(Optional.of(described("billing")));

        assertThat(this.directory.of(this.owner)).isEqualTo(described("billing"));
        assertThat(this.directory.of(this.theirs.next())).isEqualTo(described("billing"));
        this.directory.seen(this.owner);
        assertThat(this.asked).containsExactly(this.theirs.instance());
    }

    @Test
    void shouldNotAskForWhatItIsOnlyAskedAbout() {
        assertThat(this.directory.of(this.owner)).isEqualTo(new LockHolder(this.theirs.instance()));
        assertThat(this.asked).isEmpty();
    }

    @Test
    void shouldReadAgainAfterAWhile() {
        found(described("billing"));
        this.directory.seen(this.owner);
        this.clock.pass(Duration.ofNanos(InstanceDirectory.FRESH_NANOS).minusSeconds(1));
        this.directory.seen(this.owner);
        assertThat(this.asked).hasSize(1);

        this.clock.pass(Duration.ofSeconds(2));
        found(described("renamed"));
        this.directory.seen(this.owner);

        assertThat(this.asked).hasSize(2);
        assertThat(this.directory.of(this.owner).application()).isEqualTo("renamed");
    }

    /** It publishes its description a moment after its first lock. */
    @Test
    void shouldReadAgainSoonIfThereWasNone() {
        this.reply.complete(Optional.empty());
        this.directory.seen(this.owner);
        this.directory.seen(this.owner);
        assertThat(this.asked).hasSize(1);

        this.clock.pass(Duration.ofNanos(InstanceDirectory.RETRY_NANOS));
        found(described("billing"));
        this.directory.seen(this.owner);

        assertThat(this.directory.of(this.owner).application()).isEqualTo("billing");
    }

    @Test
    void shouldRememberAnInstanceThatHasEnded() {
        found(described("billing"));
        this.directory.seen(this.owner);

        this.clock.pass(Duration.ofNanos(InstanceDirectory.FRESH_NANOS));
        this.reply = CompletableFuture.completedFuture(Optional.empty());
        this.directory.seen(this.owner);

        assertThat(this.asked).hasSize(2);
        assertThat(this.directory.of(this.owner).application()).isEqualTo("billing");
    }

    @Test
    void shouldSurviveAStoreThatFails() {
        this.reply.completeExceptionally(new IllegalStateException("down"));
        this.directory.seen(this.owner);
        this.store.onFindInstance(instance -> {
            throw new IllegalStateException("worse");
        });
        this.clock.pass(Duration.ofNanos(InstanceDirectory.RETRY_NANOS));
        this.directory.seen(this.owner);
        this.store.onFindInstance(instance -> null);
        this.clock.pass(Duration.ofNanos(InstanceDirectory.RETRY_NANOS));
        this.directory.seen(this.owner);

        assertThat(this.directory.find(this.owner)).isCompletedWithValue(new LockHolder(this.theirs.instance()));
    }

    @Test
    void shouldWaitForTheReadThatIsOnItsWay() {
        this.directory.seen(this.owner);
        CompletableFuture<LockHolder> found = this.directory.find(this.owner).toCompletableFuture();
        assertThat(found).isNotDone();

        this.reply.complete(Optional.of(described("billing")));

        assertThat(found).isCompletedWithValue(described("billing"));
        assertThat(this.asked).hasSize(1);
    }

    @Test
    void shouldKnowThisInstanceWithoutTheStore() {
        String mine = this.ids.next();
        this.directory.seen(mine);

        assertThat(this.directory.of(mine)).isEqualTo(this.own.holder());
        assertThat(this.directory.isOwn(this.directory.of(mine))).isTrue();
        assertThat(this.directory.isOwn(this.directory.of(this.owner))).isFalse();
        assertThat(this.own.complete().join().host()).isNotBlank();
        assertThat(this.directory.of(mine).host()).isNotBlank();
        assertThat(this.directory.of(mine).pid())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(this.asked).isEmpty();
    }

    @Test
    void shouldShowAnotherIdAsItIs() {
        this.directory.seen("somebody");

        assertThat(this.directory.of("somebody")).isEqualTo(new LockHolder("somebody"));
        assertThat(this.asked).isEmpty();
    }

    @Test
    void shouldForgetWhatWasNotUsedForTheLongestTime() {
        found(described("billing"));
        List<String> others = new ArrayList<>();
        this.directory.seen(this.owner);
        for (int i = 1; i < InstanceDirectory.CAPACITY; i++) {
            others.add(new AcquisitionIds().next());
            this.directory.seen(others.get(i - 1));
        }
        this.directory.seen(this.owner);
        assertThat(this.asked).hasSize(InstanceDirectory.CAPACITY);

        this.directory.seen(new AcquisitionIds().next());

        assertThat(this.directory.of(this.owner).application()).isEqualTo("billing");
        assertThat(this.directory.of(others.get(0)).application()).isNull();
    }

    private void found(LockHolder holder) {
        this.reply = CompletableFuture.completedFuture(Optional.of(holder));
    }

    private LockHolder described(String application) {
        return new LockHolder(this.theirs.instance(), application, "host-7", 4711L, Instant.EPOCH);
    }
}
