package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.inThread;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockInventory.StoredWaiter;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is shown of a lock that the store describes, also of one that another program has damaged. */
@Timeout(30)
class StoredLocksTest {

    private static final String LOCK = "orders";

    private static final String WRITER = "instance001-0123456789";

    private static final String READER = "instance002-0123456789.r";

    private static final String OTHER_READER = "instance003-0123456789.r";

    private StoredLock stored = StoredLock.OWNED;

    /** Replies to releases by the id; the others find another owner. */
    private final Map<String, Reply> releases = new HashMap<>();

    /** The instances whose descriptions were asked for. */
    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** The instances that were notified, with the ids of their grants. */
    private final List<String> notified = new CopyOnWriteArrayList<>();

    private final CompletableFuture<Reply> never = new CompletableFuture<>();

    private final ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

        @Override
        public Reply call(Command command) {
            return command instanceof Command.Release release
                    ? StoredLocksTest.this.releases.getOrDefault(release.id(), Reply.NotOwner.TAKEN)
                    : new Reply.Described(StoredLocksTest.this.stored);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (command instanceof Command.Notify message) {
                StoredLocksTest.this.notified.add(message.instance() + ' ' + message.id());
            } else {
                StoredLocksTest.this.asked.add(((Command.FindInstance) command).instance());
            }
            return StoredLocksTest.this.never;
        }
    };

    private final StoredLocks locks = new StoredLocks(this.store, null, null);

    @AutoClose("stop")
    private final RunThreads threads = new RunThreads((task, delay) -> false);

    private Stored described(StoredLock lock) {
        this.stored = lock;
        return this.locks.describe(LOCK, Duration.ZERO).orElseThrow();
    }

    private static LockHolder instance(int number) {
        return new LockHolder("instance00" + number);
    }

    @Test
    void shouldDescribeAWriterAndItsLine() {
        StoredLock lock = new StoredLock(
                WRITER, 1_700_000_000_123_456L, 2_500, 2, List.of(READER, "instance004-0123456789"), List.of());

        assertThat(described(lock))
                .as("a lock with a writer and a line")
                .isEqualTo(new Stored(
                        LockMode.WRITE,
                        1_700_000_000_123_456L,
                        Duration.ofMillis(2_500),
                        instance(1),
                        Instant.parse("2023-11-14T22:13:20.123456Z"),
                        2,
                        List.of(
                                new StoredWaiter(instance(2), LockMode.READ),
                                new StoredWaiter(instance(4), LockMode.WRITE)),
                        List.of()));
    }

    /** The store returns holders in any order. */
    @Test
    void shouldDescribeHoldersInTheOrderOfTheirGrants() {
        StoredLock lock = new StoredLock(
                OTHER_READER,
                7_000_000,
                9_000,
                0,
                List.of(),
                List.of(
                        new StoredHolder(OTHER_READER, 7_000_000, 9_000, 0),
                        new StoredHolder(READER, 5_000_000, -1, 0)));

        Stored shown = described(lock);

        assertThat(shown.mode()).as("mode").isEqualTo(LockMode.READ);
        assertThat(shown.holder()).as("the holder that has the oldest grant").isEqualTo(instance(2));
        assertThat(shown.holders())
                .as("holders, of which the first one has no known lease")
                .containsExactly(
                        new StoredGrant(READER, instance(2), 5_000_000, null, 0, Instant.ofEpochSecond(5)),
                        new StoredGrant(
                                OTHER_READER,
                                instance(3),
                                7_000_000,
                                Duration.ofSeconds(9),
                                0,
                                Instant.ofEpochSecond(7)));
    }

    @Test
    void shouldLeaveOutWhatIsUnknown() {
        assertThat(described(StoredLock.OWNED))
                .as("a lock of which only is known that it has an owner")
                .isEqualTo(new Stored(null, null, null, null, null, null, List.of(), List.of()));
        assertThat(described(new StoredLock("by hand", 1L << 53, 1, 0)).since())
                .as("time of a grant whose token contains none")
                .isNull();
        assertThat(described(new StoredLock(
                                "by hand", 1, 1, 0, List.of(), List.of(new StoredHolder("by hand", 1, 1, 0))))
                        .mode())
                .as("mode of a holder whose id states none")
                .isNull();
    }

    @Test
    void shouldShowInstancesByTheirIdsIfTheirDescriptionsAreLate() {
        this.stored = new StoredLock(WRITER, 1, 1, 1, List.of(READER), List.of());
        Instances instances = new Instances(
                "ownInstance",
                LockSettings.of(Duration.ofSeconds(30)),
                this.store,
                this.threads,
                () -> new Moment(0, 0));

        StoredLocks locks = new StoredLocks(this.store, null, instances);

        CompletableFuture<Stored> description =
                inThread(() -> locks.describe(LOCK, Duration.ofMillis(50)).orElseThrow());

        assertThat(description)
                .as("description of a lock whose instances are asked for 50 ms")
                .succeedsWithin(Duration.ofSeconds(10));
        assertThat(this.asked)
                .as("instances that are asked for: those of the holder and of the line")
                .containsExactly("instance001", "instance002");
        Stored shown = description.join();
        assertThat(shown.holder()).as("holder without a description").isEqualTo(instance(1));
        assertThat(shown.line())
                .as("line without a description")
                .containsExactly(new StoredWaiter(instance(2), LockMode.READ));
    }

    @Test
    void shouldCountThePermitsOfAllHolders() {
        StoredHolder one = new StoredHolder("instance001-0123456789.s2.9", 1, 1, 2);
        StoredHolder two = new StoredHolder("instance002-0123456789.s5.9", 2, 1, 5);
        this.stored = new StoredLock(one.acquisitionId(), 2, 1, 0, List.of(), List.of(one, two));

        assertThat(this.locks.used(LOCK)).as("permits that are held").isEqualTo(7);
    }

    @Test
    void shouldReportAForcedReleaseIfOneOfSeveralOwnersHadTheLock() {
        this.stored = new StoredLock(
                READER,
                2,
                1,
                0,
                List.of(),
                List.of(new StoredHolder(READER, 1, 1, 0), new StoredHolder(OTHER_READER, 2, 1, 0)));
        assertThat(this.locks.forceRelease(LOCK, id -> true))
                .as("forced release of owners that have all ended")
                .isFalse();

        this.releases.put(READER, Reply.Released.INSTANCE);

        assertThat(this.locks.forceRelease(LOCK, id -> true))
                .as("forced release of two owners of which the second one has ended")
                .isTrue();
        assertThat(this.notified).as("owners that are notified").containsExactly("instance002 " + READER);
    }

    @Test
    void shouldForceTheReleaseOfALockThatIsKeptForAMinimumHold() {
        this.stored = new StoredLock(WRITER, 1, 1, 0);
        this.releases.put("~k" + WRITER, Reply.Released.INSTANCE);

        assertThat(this.locks.forceRelease(LOCK, id -> true))
                .as("forced release of a lock in its minimum hold")
                .isTrue();
        assertThat(this.notified).as("owners that are notified, as none works").isEmpty();
    }

    @Test
    void shouldReportTheModeInWhichALockIsLocked() {
        this.stored = new StoredLock(READER, 1, 1, 0, List.of(), List.of(new StoredHolder(READER, 1, 1, 0)));
        assertThat(this.locks.isLocked(LOCK, LockMode.READ))
                .as("read lock of a reader")
                .isTrue();
        assertThat(this.locks.isLocked(LOCK, LockMode.WRITE))
                .as("write lock of a reader")
                .isFalse();

        this.stored = new StoredLock(WRITER, 1, 1, 0);
        assertThat(this.locks.isLocked(LOCK, LockMode.READ))
                .as("read lock of a writer")
                .isFalse();
        assertThat(this.locks.isLocked(LOCK, LockMode.WRITE))
                .as("write lock of a writer")
                .isTrue();
    }
}
