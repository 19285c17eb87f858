package io.github.lockstarter.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/** The order in which commands are written that have waited for others. One command is under way at a time. */
class CommandWindowTest {

    private static final Moment NOW = new Moment(0, 0);

    private final CommandWindow window = new CommandWindow(1);

    private static Acquisition acquisition(String id) {
        return new Acquisition(id, GrantKind.EXCLUSIVE, NOW);
    }

    private static Sent acquire(Acquisition acquisition) {
        return new Sent(new Command.Acquire("a", acquisition.id, 1_000, true), acquisition, null, NOW);
    }

    private static Sent acquire(String id) {
        return acquire(acquisition(id));
    }

    /** The id stands in the line of the store. */
    private static Sent poll(String id) {
        Acquisition acquisition = acquisition(id);
        ReflectionTestUtils.setField(acquisition, "isNotified", true);
        return acquire(acquisition);
    }

    private static Sent release(String id) {
        return new Sent(new Command.Release("a", id, 0, 0, null), acquisition(id), null, NOW);
    }

    private void occupy() {
        assertThat(this.window.enter(acquire("first")))
                .as("a command enters an empty window")
                .isTrue();
    }

    private void requireWaiting(Sent... commands) {
        for (Sent each : commands) {
            assertThat(this.window.enter(each))
                    .as("a command enters a window that others occupy or wait for: %s", each.command)
                    .isFalse();
        }
    }

    private void requireNext(Sent expected) {
        this.window.left();
        assertThat(this.window.next()).as("the next command").isSameAs(expected);
        assertThat(this.window.next()).as("a second command beside it").isNull();
    }

    @Test
    void shouldWriteReleasesBeforePollsBeforeOtherRequests() {
        Sent acquire = acquire("acquire");
        Sent poll = poll("poll");
        Sent release = release("release");
        occupy();
        requireWaiting(acquire, poll, release);
        assertThat(this.window.waiting())
                .as("requests that wait, without the release")
                .isEqualTo(2);

        requireNext(release);
        requireNext(poll);
        requireNext(acquire);
        assertThat(this.window.waiting()).as("requests that wait").isZero();
    }

    @Test
    void shouldNotLetARequestPassThoseThatWait() {
        Sent first = acquire("acquire");
        occupy();
        requireWaiting(first);
        this.window.left();

        requireWaiting(acquire("later"));
        assertThat(this.window.next()).as("the next command").isSameAs(first);
    }

    @Test
    void shouldLetNothingPassAReleaseThatWaits() {
        Sent release = release("release");
        occupy();
        requireWaiting(release);
        this.window.left();

        requireWaiting(poll("poll"), release("later"));
        assertThat(this.window.next()).as("the next command").isSameAs(release);
    }

    @Test
    void shouldLetAPollPassRequestsThatWait() {
        occupy();
        requireWaiting(acquire("acquire"));
        this.window.left();

        assertThat(this.window.enter(poll("poll")))
                .as("a poll enters although another request waits, because its place in the line is at acquisition")
                .isTrue();
    }

    @Test
    void shouldNotWriteWhatWasWithdrawn() {
        Acquisition acquisition = acquisition("twice");
        Sent written = acquire(acquisition);
        Sent other = acquire("other");
        occupy();
        requireWaiting(written, acquire(acquisition), other, acquire(acquisition));
        requireNext(written);

        assertThat(this.window.withdraw(acquisition))
                .as("requests that are withdrawn, without the one that was written")
                .isEqualTo(2);
        assertThat(this.window.waiting()).as("requests that wait").isOne();
        assertThat(this.window.withdraw(acquisition))
                .as("requests that are withdrawn again")
                .isZero();
        requireNext(other);
        this.window.left();
        assertThat(this.window.next()).as("a command after all others").isNull();
    }

    @Test
    void shouldCountRequestsAndReleasesAlone() {
        assertThat(CommandWindow.counts(acquire("acquire")))
                .as("requests count")
                .isTrue();
        assertThat(CommandWindow.counts(release("release")))
                .as("releases count")
                .isTrue();
        assertThat(CommandWindow.counts(new Sent(new Command.Renew("a", "id", 1_000), acquisition("id"), null, NOW)))
                .as("renewals count, and so wait for a window that is full")
                .isFalse();
    }
}
