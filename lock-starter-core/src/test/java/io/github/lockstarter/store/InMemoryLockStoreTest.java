package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LockHolder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads, notifications and instances; what the commands do is compared with the scripts of Redis by DifferentialTest.
 */
class InMemoryLockStoreTest {

    private static final long LEASE = 60_000;

    private static final int THREADS = 4;

    private final InMemoryLockStore store = new InMemoryLockStore();

    private final InMemoryLockStore other = this.store.forAnotherInstance();

    private final Notified notified = new Notified();

    private final Notified otherNotified = new Notified();

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /** Records notifications, and executes a command at each if there is one. */
    private static final class Notified implements StoreListener {

        private final List<String> grants = new ArrayList<>();

        private Runnable reaction = () -> {};

        @Override
        public void granted(String lock, String id, long token) {
            this.grants.add(lock + ' ' + id + ' ' + token);
            this.reaction.run();
        }

        @Override
        public void notified(String lock, String id, Notice notice) {
            this.grants.add(lock + ' ' + id + ' ' + notice);
        }

        @Override
        public void messageRejected() {
            this.grants.add("rejected");
        }

        @Override
        public void notificationsMayBeLost() {
            this.grants.add("lost");
        }

        @Override
        public void serverChanged() {
            this.grants.add("changed");
        }
    }

    @BeforeEach
    void start() {
        this.store.start("one", this.notified);
        this.other.start("two", this.otherNotified);
    }

    private static Command acquire(String id) {
        return new Command.Acquire("lock", id, LEASE, true);
    }

    private static Command release(String id) {
        return new Command.Release("lock", id, 0, 0, null);
    }

    static List<Command> forbiddenCommands() {
        Command.Renew renewal = new Command.Renew("lock", "one-a", LEASE);
        List<Command.Renew> tooMany = Collections.nCopies(101, renewal);
        return List.of(
                new Command.Acquire("lock", "one-a", 0, true),
                new Command.Renew("lock", "one-a", 0),
                new Command.Downgrade("lock", "one-a", 0, -1),
                new Command.Release("lock", "one-a", 0, -1, null),
                new Command.Release("lock", "one-a", -1, 0, null),
                new Command.Release("lock", "one-a", 0, 1, new Successor("one-b", LEASE)),
                new Command.Release("lock", "one-a", 0, 0, new Successor("one-b", 0)),
                new Command.RenewAll(List.of()),
                new Command.RenewAll(List.of(renewal, new Command.Renew("other", "one-b", LEASE + 1))),
                new Command.RenewAll(List.of(new Command.Renew("lock", "one-a", 0))),
                new Command.RenewAll(tooMany),
                new Command.PublishInstance(new LockHolder("one"), 0));
    }

    /** The scripts of Redis would execute them in some way. */
    @ParameterizedTest
    @MethodSource("forbiddenCommands")
    void shouldRejectWhatTheDescriptionOfACommandForbids(Command command) {
        this.store.call(acquire("one-a"));

        assertThatIllegalArgumentException()
                .as("rejection of %s", command)
                .isThrownBy(() -> this.store.call(command))
                .withMessageContaining("Command." + command.getClass().getSimpleName());
        assertThat(this.other.call(acquire("two-a")))
                .as("the lock after the rejection")
                .isInstanceOf(Reply.Taken.class);
    }

    @Test
    void shouldExecuteCommandsOfAListenerAndOfOtherThreadsDuringANotification() {
        this.store.call(acquire("one-a"));
        this.other.call(acquire("two-b"));
        this.otherNotified.reaction = () -> {
            assertThat(this.other.call(release("two-b"))).isInstanceOf(Reply.Released.class);
            // A thread that waited for the command which has granted the lock would wait for ever.
            assertThat(this.threads.submit(() -> this.other.call(acquire("two-c"))))
                    .succeedsWithin(10, TimeUnit.SECONDS)
                    .isInstanceOf(Reply.Granted.class);
        };

        this.store.call(release("one-a"));

        assertThat(this.otherNotified.grants).hasSize(1);
    }

    @Test
    void shouldFindTheDescriptionOfAnInstanceForALimitedTime() {
        LockHolder instance = new LockHolder("one", "app", "host", 1L, null);
        assertThat(this.other.call(new Command.FindInstance("one"))).isEqualTo(new Reply.Instance(null));

        this.store.call(new Command.PublishInstance(instance, LEASE));
        assertThat(this.other.call(new Command.FindInstance("one"))).isEqualTo(new Reply.Instance(instance));

        this.store.call(new Command.PublishInstance(instance, 1));
        soon().until(() -> this.other.call(new Command.FindInstance("one")).equals(new Reply.Instance(null)));
    }

    @Test
    void shouldNotNotifyAnInstanceThatWasStopped() {
        this.store.call(acquire("one-a"));
        this.other.call(acquire("two-b"));
        this.other.stop();

        this.store.call(release("one-a"));

        assertThat(this.otherNotified.grants)
                .as("notifications of an instance that was stopped")
                .isEmpty();
    }

    private static final LockTable.Inboxes NO_INBOXES = new LockTable.Inboxes() {

        @Override
        public void publish(String lock, String inbox, String id, long token) {}

        @Override
        public boolean hasReceivers(String inbox) {
            return false;
        }
    };

    private static Reply execute(LockTable table, Command command, long micros) {
        return table.execute(command, micros, "one", NO_INBOXES);
    }

    @Test
    void shouldForgetWhatHasExpired() {
        LockTable table = new LockTable(2_000, true);
        long micros = 1_700_000_000_000_000L;
        for (int i = 0; i < 100; i++) {
            execute(table, new Command.Acquire("expires:" + i, "one-a", 1, false), micros);
        }

        execute(table, new Command.PublishInstance(new LockHolder("one"), 1), micros);
        Command find = new Command.FindInstance("one");
        assertThat(execute(table, find, micros + 1_000_000))
                .as("description that has expired")
                .isEqualTo(new Reply.Instance(null));
        for (int i = 0; i < 1_000; i++) {
            execute(table, new Command.Inspect("lock", true), micros + 1_000_000);
        }

        assertThat(table.locks())
                .as("locks that expired a thousand commands ago")
                .isEmpty();
        assertThat(execute(table, find, micros))
                .as("description that was removed")
                .isEqualTo(new Reply.Instance(null));
    }

    /** As a clock does that is less precise than its unit. */
    @Test
    void shouldGrantGrowingTokensThoughTheClockStands() {
        LockTable table = new LockTable(2_000, true);
        long micros = 1_700_000_000_000_000L;
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            tokens.add(((Reply.Granted) execute(table, acquire("one-a"), micros)).token());
            execute(table, release("one-a"), micros);
        }
        tokens.add(((Reply.Granted) execute(table, new Command.Acquire("lock", "one-a", 1, false), micros)).token());
        table.removeExpired(micros + 1_000_000);
        tokens.add(((Reply.Granted) execute(table, acquire("one-b"), micros)).token());

        assertThat(tokens)
                .as("tokens of one lock, of which the last one followed an expiry")
                .doesNotHaveDuplicates()
                .isSorted();
    }
}
