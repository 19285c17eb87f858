package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who has the turn for a lock in this JVM. */
class LocalQueuesTest {

    private static final String NAME = "orders:42";

    private final AtomicInteger ids = new AtomicInteger();

    private final LocalQueues queues = new LocalQueues(() -> new Place("id-" + this.ids.incrementAndGet()));

    private List<Turn> enter(int count) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            turns.add(this.queues.enter(NAME, null));
        }
        return turns;
    }

    private static void shouldBeCalled(List<Turn> turns, int count) {
        assertThat(turns.subList(0, count)).allMatch(Turn::isDone);
        assertThat(turns.subList(count, turns.size())).noneMatch(Turn::isDone);
    }

    @Test
    void shouldGiveTurnsInTheOrderOfArrival() {
        List<Turn> turns = enter(5);

        for (int i = 0; i < 5; i++) {
            shouldBeCalled(turns, i + 1);
            assertThat(this.queues.first(NAME)).isSameAs(turns.get(i));
            this.queues.leave(turns.get(i));
        }

        assertThat(this.queues.first(NAME)).isNull();
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldAskFromANewPlaceAfterAGrant() {
        List<Turn> turns = enter(3);
        assertThat(turns.get(0).place().acquisitionId()).isEqualTo("id-1");
        assertThat(turns.get(1).place()).isNull();

        this.queues.leave(turns.get(0));
        assertThat(turns.get(1).place().acquisitionId()).isEqualTo("id-2");
        this.queues.leave(turns.get(1));

        assertThat(turns.get(2).place().acquisitionId()).isEqualTo("id-3");
        assertThat(turns.get(2).join()).isNull();
    }

    @Test
    void shouldInheritThePlaceOfWhoGaveUp() {
        List<Turn> turns = enter(3);
        Place place = turns.get(0).place();

        assertThat(this.queues.leave(turns.get(0), place)).isTrue();
        assertThat(turns.get(1).place()).isSameAs(place);
        assertThat(this.queues.leave(turns.get(1), place)).isTrue();
        assertThat(turns.get(2).place()).isSameAs(place);

        assertThat(this.queues.leave(turns.get(2), place)).isFalse();
        assertThat(this.queues.isEmpty()).isTrue();
        assertThat(this.ids).hasValue(1);
    }

    @Test
    void shouldLetAnyoneWithdrawWhoIsNotCalledYet() {
        for (int leaver = 1; leaver < 5; leaver++) {
            List<Turn> turns = enter(5);
            Turn gone = turns.remove(leaver);

            assertThat(this.queues.withdraw(gone)).isTrue();
            assertThat(this.queues.withdraw(gone)).isFalse();

            for (int i = 0; i < 4; i++) {
                shouldBeCalled(turns, i + 1);
                this.queues.leave(turns.get(i));
            }
            assertThat(gone).as("nobody waits for its call").isCancelled();
            assertThat(this.queues.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldNotWithdrawWhoWasTakenOutToBeCalled() {
        List<Turn> turns = enter(3);
        assertThat(this.queues.withdraw(turns.get(0))).isFalse();

        Turn next = this.queues.end(turns.get(0));

        assertThat(next).isSameAs(turns.get(1)).isNotDone();
        assertThat(this.queues.withdraw(next)).isFalse();
        assertThat(this.queues.first(NAME)).isSameAs(next);
        this.queues.leave(turns.get(1));
        assertThat(turns.get(2)).isDone();
    }

    @Test
    void shouldEndATurnOnce() {
        List<Turn> turns = enter(3);
        Place place = turns.get(0).place();

        this.queues.leave(turns.get(0));
        this.queues.leave(turns.get(0));
        assertThat(this.queues.leave(turns.get(0), place)).isFalse();
        assertThat(this.queues.end(turns.get(0))).isNull();
        assertThat(this.queues.endFor(turns.get(0), turn -> true)).isNull();

        shouldBeCalled(turns, 2);
        assertThat(turns.get(1).place()).isNotSameAs(place);
    }

    @Test
    void shouldEndForThoseOfAKindOnly() {
        List<Turn> turns = enter(3);

        assertThat(this.queues.endFor(turns.get(0), turn -> turn == turns.get(2)))
                .isNull();
        assertThat(this.queues.first(NAME)).isSameAs(turns.get(0));
        assertThat(this.queues.nextBehind(turns.get(0))).isSameAs(turns.get(1));
        assertThat(this.queues.endFor(turns.get(0), turn -> turn == turns.get(1)))
                .isSameAs(turns.get(1));

        assertThat(turns.get(1)).isNotDone();
        this.queues.leave(turns.get(1));
        assertThat(this.queues.endFor(turns.get(2), turn -> true)).isNull();
        assertThat(this.queues.first(NAME))
                .as("the last one still has its turn")
                .isSameAs(turns.get(2));
    }

    @Test
    void shouldSayWhoWaitsNext() {
        List<Turn> turns = enter(3);
        assertThat(this.queues.nextBehind(turns.get(0))).isSameAs(turns.get(1));

        this.queues.withdraw(turns.get(1));
        assertThat(this.queues.nextBehind(turns.get(0))).isSameAs(turns.get(2));
        this.queues.withdraw(turns.get(2));

        assertThat(this.queues.nextBehind(turns.get(0))).isNull();
        assertThat(turns.get(0).isLast()).isTrue();
    }

    @Test
    void shouldHaveAQueueForEachName() {
        Turn one = this.queues.enter("orders:1", null);
        Turn two = this.queues.enter("orders:2", null);

        assertThat(one).isDone();
        assertThat(two).isDone();
        assertThat(one.place()).isNotSameAs(two.place());
        this.queues.leave(one);
        assertThat(this.queues.first("orders:2")).isSameAs(two);
        this.queues.leave(two);
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldFailAllWhoWaitAndLetTheContendersLook() {
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
            assertThat(turn.awaitCall()).isNull();
            assertThat(this.queues.withdraw(turn)).isFalse();
        }
        assertThat(woken).containsExactly("first");
        this.queues.leave(turns.get(0));
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepNothingOfNamesThatWereUsedOnce() {
        for (int i = 0; i < 100_000; i++) {
            Turn turn = this.queues.enter("orders:" + i, null);
            assertThat(turn.isDone()).isTrue();
            this.queues.leave(turn);
        }

        assertThat(this.queues.isEmpty()).isTrue();
    }
}
