package io.github.lockstarter.lease.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.lease.support.LogQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Telling listeners: on which thread, in which order, and what does not fit. */
class EventTopicTest {

    private static final LockAcquiredEvent EVENT =
            new LockAcquiredEvent("orders", "42", LockMode.WRITE, 7, "id", Duration.ZERO);

    private final LogQueue log = new LogQueue();

    private final ListenerQueue listenerQueue = new ListenerQueue(this.log, System::nanoTime);

    @AfterEach
    void stop() {
        this.listenerQueue.shutdown();
        this.log.shutdown();
    }

    private EventTopic<LockAcquiredEvent> topic(MeterListener meters, LockListener... listeners) {
        return new EventTopic<>(
                "acquired",
                LockAcquiredEvent.class,
                LockListener::acquired,
                new EventObservers(meters, new LockListener() {}, this.log, List.of(listeners), this.listenerQueue),
                false);
    }

    private static LockAcquiredEvent event(long token) {
        return new LockAcquiredEvent("orders", "42", LockMode.WRITE, token, "id", Duration.ZERO);
    }

    /** Keeps what it hears and where. */
    private static final class Hearing implements MeterListener {

        private final List<LockAcquiredEvent> events = new CopyOnWriteArrayList<>();

        private final List<String> threads = new CopyOnWriteArrayList<>();

        @Override
        public void acquired(LockAcquiredEvent event) {
            this.events.add(event);
            this.threads.add(Thread.currentThread().getName());
        }
    }

    private static final class Deaf implements MeterListener {
        @Override
        public void lost(LockLostEvent event) {
            throw new AssertionError("of another kind");
        }
    }

    private static final class Broken implements MeterListener {
        @Override
        public void acquired(LockAcquiredEvent event) {
            throw new AssertionError("broken");
        }
    }

    @Test
    void shouldTellMetersAtOnceAndListenersOnTheirThread() {
        Hearing meters = new Hearing();
        Hearing listener = new Hearing();

        topic(meters, listener).publish(() -> EVENT);

        assertThat(meters.events).containsExactly(EVENT);
        assertThat(meters.threads).containsExactly(Thread.currentThread().getName());
        Awaitility.await().until(() -> !listener.events.isEmpty());
        assertThat(listener.events).containsExactly(EVENT);
        assertThat(listener.threads).allMatch(name -> name.startsWith("lock-listener-"));
    }

    @Test
    void shouldTellInOrder() {
        Hearing listener = new Hearing();
        EventTopic<LockAcquiredEvent> topic = topic(null, listener);
        List<LockAcquiredEvent> told = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            LockAcquiredEvent event = event(i);
            told.add(event);
            topic.publish(() -> event);
        }

        Awaitility.await().until(() -> listener.events.size() == 1000);

        assertThat(listener.events).containsExactlyElementsOf(told);
    }

    @Test
    void shouldNotMakeAnEventThatNobodyHears() {
        topic(new Deaf(), new Deaf()).publish(() -> {
            throw new AssertionError("made");
        });
        topic(null).publish(() -> {
            throw new AssertionError("made");
        });

        assertThat(this.listenerQueue.dropped()).isZero();
    }

    @Test
    void shouldGoOnAfterAnObserverThatThrows() {
        Hearing listener = new Hearing();

        topic(new Broken(), new Broken(), listener).publish(() -> EVENT);

        Awaitility.await().until(() -> !listener.events.isEmpty());
    }

    @Test
    void shouldCountWhatDoesNotFit() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Hearing listener = new Hearing();
        LockListener slow = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                busy.countDown();
                try {
                    end.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        EventTopic<LockAcquiredEvent> topic = topic(null, slow, listener);
        topic.publish(() -> EVENT);
        assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();

        // ten thousand may wait
        for (int i = 0; i < 10_025; i++) {
            topic.publish(() -> EVENT);
        }

        assertThat(this.listenerQueue.dropped()).isEqualTo(25);
        end.countDown();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> listener.events.size() == 10_001);
    }
}
