package io.github.lockstarter.lease.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who has the turn for a lock in this JVM. */
class LocalQueuesTest {

    private static final String NAME = "orders:42";

    private final AtomicInteger ids = new AtomicInteger();

    private final LocalQueues<Grant> queues =
            new LocalQueues<>(kind -> new LineTicket("id-" + this.ids.incrementAndGet(), LeaseClock.SYSTEM));

    private List<QueueNode<Grant>> enter(int count) {
        List<QueueNode<Grant>> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(this.queues.enter(NAME, null));
        }
        return nodes;
    }

    private static void shouldBeCalled(List<QueueNode<Grant>> nodes, int count) {
        assertThat(nodes.subList(0, count)).allMatch(QueueNode<Grant>::isDone);
        assertThat(nodes.subList(count, nodes.size())).noneMatch(QueueNode<Grant>::isDone);
    }

    @Test
    void shouldGiveTurnsInTheOrderOfArrival() {
        List<QueueNode<Grant>> nodes = enter(5);

        for (int i = 0; i < 5; i++) {
            shouldBeCalled(nodes, i + 1);
            assertThat(this.queues.first(NAME)).isSameAs(nodes.get(i));
            this.queues.leave(nodes.get(i));
        }

        assertThat(this.queues.first(NAME)).isNull();
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldAskFromANewPlaceAfterAGrant() {
        List<QueueNode<Grant>> nodes = enter(3);
        assertThat(nodes.get(0).ticket().acquisitionId()).isEqualTo("id-1");
        assertThat(nodes.get(1).ticket()).isNull();

        this.queues.leave(nodes.get(0));
        assertThat(nodes.get(1).ticket().acquisitionId()).isEqualTo("id-2");
        this.queues.leave(nodes.get(1));

        assertThat(nodes.get(2).ticket().acquisitionId()).isEqualTo("id-3");
        assertThat(nodes.get(2).join()).isNull();
    }

    @Test
    void shouldInheritThePlaceOfWhoGaveUp() {
        List<QueueNode<Grant>> nodes = enter(3);
        LineTicket ticket = nodes.get(0).ticket();

        assertThat(this.queues.leave(nodes.get(0), ticket)).isTrue();
        assertThat(nodes.get(1).ticket()).isSameAs(ticket);
        assertThat(this.queues.leave(nodes.get(1), ticket)).isTrue();
        assertThat(nodes.get(2).ticket()).isSameAs(ticket);

        assertThat(this.queues.leave(nodes.get(2), ticket)).isFalse();
        assertThat(this.queues.isEmpty()).isTrue();
        assertThat(this.ids).hasValue(1);
    }

    @Test
    void shouldLetAnyoneWithdrawWhoIsNotCalledYet() {
        for (int leaver = 1; leaver < 5; leaver++) {
            List<QueueNode<Grant>> nodes = enter(5);
            QueueNode<Grant> gone = nodes.remove(leaver);

            assertThat(this.queues.withdraw(gone)).isTrue();
            assertThat(this.queues.withdraw(gone)).isFalse();

            for (int i = 0; i < 4; i++) {
                shouldBeCalled(nodes, i + 1);
                this.queues.leave(nodes.get(i));
            }
            assertThat(gone).as("nobody waits for its call").isCancelled();
            assertThat(this.queues.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldNotWithdrawWhoWasTakenOutToBeCalled() {
        List<QueueNode<Grant>> nodes = enter(3);
        assertThat(this.queues.withdraw(nodes.get(0))).isFalse();

        QueueNode<Grant> next = this.queues.end(nodes.get(0));

        assertThat(next).isSameAs(nodes.get(1)).isNotDone();
        assertThat(this.queues.withdraw(next)).isFalse();
        assertThat(this.queues.first(NAME)).isSameAs(next);
        this.queues.leave(nodes.get(1));
        assertThat(nodes.get(2)).isDone();
    }

    @Test
    void shouldEndATurnOnce() {
        List<QueueNode<Grant>> nodes = enter(3);
        LineTicket ticket = nodes.get(0).ticket();

        this.queues.leave(nodes.get(0));
        this.queues.leave(nodes.get(0));
        assertThat(this.queues.leave(nodes.get(0), ticket)).isFalse();
        assertThat(this.queues.end(nodes.get(0))).isNull();
        assertThat(this.queues.endFor(nodes.get(0), node -> true)).isNull();

        shouldBeCalled(nodes, 2);
        assertThat(nodes.get(1).ticket()).isNotSameAs(ticket);
    }

    @Test
    void shouldEndForThoseOfAKindOnly() {
        List<QueueNode<Grant>> nodes = enter(3);

        assertThat(this.queues.endFor(nodes.get(0), node -> node == nodes.get(2)))
                .isNull();
        assertThat(this.queues.first(NAME)).isSameAs(nodes.get(0));
        assertThat(this.queues.nextBehind(nodes.get(0))).isSameAs(nodes.get(1));
        assertThat(this.queues.endFor(nodes.get(0), node -> node == nodes.get(1)))
                .isSameAs(nodes.get(1));

        assertThat(nodes.get(1)).isNotDone();
        this.queues.leave(nodes.get(1));
        assertThat(this.queues.endFor(nodes.get(2), node -> true)).isNull();
        assertThat(this.queues.first(NAME))
                .as("the last one still has its turn")
                .isSameAs(nodes.get(2));
    }

    @Test
    void shouldSayWhoWaitsNext() {
        List<QueueNode<Grant>> nodes = enter(3);
        assertThat(this.queues.nextBehind(nodes.get(0))).isSameAs(nodes.get(1));

        this.queues.withdraw(nodes.get(1));
        assertThat(this.queues.nextBehind(nodes.get(0))).isSameAs(nodes.get(2));
        this.queues.withdraw(nodes.get(2));

        assertThat(this.queues.nextBehind(nodes.get(0))).isNull();
        assertThat(nodes.get(0).isLast()).isTrue();
    }

    @Test
    void shouldHaveAQueueForEachName() {
        QueueNode<Grant> one = this.queues.enter("orders:1", null);
        QueueNode<Grant> two = this.queues.enter("orders:2", null);

        assertThat(one).isDone();
        assertThat(two).isDone();
        assertThat(one.ticket()).isNotSameAs(two.ticket());
        this.queues.leave(one);
        assertThat(this.queues.first("orders:2")).isSameAs(two);
        this.queues.leave(two);
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldFailAllWhoWaitAndLetTheContendersLook() {
        List<String> woken = new ArrayList<>();
        List<QueueNode<Grant>> nodes = enter(3);
        nodes.get(0).onWake(() -> woken.add("first"));
        IllegalStateException stopped = new IllegalStateException("stopped");

        this.queues.failAll(stopped);

        assertThat(nodes.get(0)).isCompleted();
        for (QueueNode<Grant> node : nodes.subList(1, 3)) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(node::join)
                    .withCause(stopped);
            assertThat(node.awaitCall()).isNull();
            assertThat(this.queues.withdraw(node)).isFalse();
        }
        assertThat(woken).containsExactly("first");
        this.queues.leave(nodes.get(0));
        assertThat(this.queues.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepNothingOfNamesThatWereUsedOnce() {
        for (int i = 0; i < 100_000; i++) {
            QueueNode<Grant> node = this.queues.enter("orders:" + i, null);
            assertThat(node.isDone()).isTrue();
            this.queues.leave(node);
        }

        assertThat(this.queues.isEmpty()).isTrue();
    }
}
