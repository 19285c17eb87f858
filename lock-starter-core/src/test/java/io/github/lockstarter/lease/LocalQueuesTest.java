package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Who has the turn for a lock in this JVM. */
class LocalQueuesTest {

    private final LocalQueues queues = new LocalQueues();

    private List<Turn> enter(int count) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            turns.add(this.queues.enter("orders:42"));
        }
        return turns;
    }

    @Test
    void shouldGiveTurnsInTheOrderOfArrival() {
        List<Turn> turns = enter(5);

        for (int i = 0; i < 5; i++) {
            assertThat(turns.subList(0, i + 1)).allMatch(Turn::isDone);
            assertThat(turns.subList(i + 1, 5)).noneMatch(Turn::isDone);
            turns.get(i).leave();
        }

        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldLetAnyoneLeaveAnywhere() {
        for (int leaver = 0; leaver < 5; leaver++) {
            List<Turn> turns = enter(5);
            Turn gone = turns.remove(leaver);

            gone.leave();

            for (int i = 0; i < 4; i++) {
                assertThat(turns.subList(0, i + 1)).allMatch(Turn::isDone);
                assertThat(turns.subList(i + 1, 4)).noneMatch(Turn::isDone);
                turns.get(i).leave();
            }
            assertThat(gone.isDone()).isEqualTo(leaver == 0);
            assertThat(this.queues.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldLeaveOnce() {
        List<Turn> turns = enter(3);

        turns.get(0).leave();
        turns.get(0).leave();
        turns.get(0).leave();

        assertThat(turns.get(1)).isDone();
        assertThat(turns.get(2)).isNotDone();
        turns.get(1).leave();
        turns.get(2).leave();
    }

    @Test
    void shouldHaveAQueueForEachName() {
        Turn one = this.queues.enter("orders:1");
        Turn two = this.queues.enter("orders:2");

        assertThat(one).isDone();
        assertThat(two).isDone();
        one.leave();
        two.leave();
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldWakeOnlyWhoHasTheTurn() {
        List<String> woken = new ArrayList<>();
        List<Turn> turns = enter(2);
        turns.get(0).onWake(() -> woken.add("first"));
        turns.get(1).onWake(() -> woken.add("second"));
        Turn other = this.queues.enter("orders:1");
        other.onWake(() -> woken.add("other"));

        this.queues.wake("orders:42");
        this.queues.wake("unknown");
        assertThat(woken).containsExactly("first");
        turns.get(0).leave();
        turns.get(0).wake();
        this.queues.wake("orders:42");
        assertThat(woken).containsExactly("first", "second");
        this.queues.wakeAll();

        assertThat(woken).containsExactlyInAnyOrder("first", "second", "second", "other");
        turns.get(1).leave();
        other.leave();
    }

    @Test
    void shouldFailAllWhoWaitAndWakeTheOthers() {
        List<String> woken = new ArrayList<>();
        List<Turn> turns = enter(3);
        turns.get(0).onWake(() -> woken.add("first"));
        IllegalStateException stopped = new IllegalStateException("stopped");

        this.queues.failAll(stopped);

        assertThat(turns.get(0)).isCompleted();
        for (Turn turn : turns.subList(1, 3)) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(turn::join)
                    .withCause(stopped);
        }
        assertThat(woken).containsExactly("first");
        turns.forEach(Turn::leave);
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepNothingOfNamesThatWereUsedOnce() {
        for (int i = 0; i < 100_000; i++) {
            Turn turn = this.queues.enter("orders:" + i);
            assertThat(turn.isDone()).isTrue();
            turn.leave();
        }

        assertThat(this.queues.isEmpty()).isTrue();
    }
}
