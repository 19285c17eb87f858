package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The heap of what is due, against a plain map. */
class DueQueueTest {

    private static final long EMPTY = 12345;

    private final DueQueue<Item> queue = new DueQueue<>();

    private static final class Item extends DueQueue.Entry {}

    /** Times are those of a clock that may overflow, so the model counts from its start. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 500})
    void shouldDoWhatASortedModelDoes(long start) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Item, Long> model = new HashMap<>();
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            items.add(new Item());
        }

        for (int step = 0; step < 30_000; step++) {
            Item item = items.get(random.nextInt(items.size()));
            long time = random.nextInt(1000);
            // phases in which it grows, and in which it shrinks
            int choice = random.nextInt(step / 5_000 % 2 == 0 ? 10 : 14);
            if (choice < 6) {
                boolean first = this.queue.put(item, start + time);
                model.put(item, time);
                // among equals nobody knows who stands first
                if (first) {
                    assertThat(time).as("seed %s", seed).isEqualTo(earliest(model));
                } else {
                    assertThat(time).as("seed %s", seed).isGreaterThanOrEqualTo(earliest(model));
                }
            } else if (choice < 8) {
                this.queue.remove(item);
                model.remove(item);
            } else {
                Long earliest = model.isEmpty() ? null : earliest(model);
                Item polled = this.queue.pollDue(start + time);
                if (earliest == null || earliest > time) {
                    assertThat(polled).as("seed %s", seed).isNull();
                } else {
                    assertThat(model.remove(polled)).as("seed %s", seed).isEqualTo(earliest);
                }
            }
            assertThat(this.queue.firstDue(EMPTY)).isEqualTo(model.isEmpty() ? EMPTY : start + earliest(model));
        }
        assertThat(this.queue.snapshot()).containsExactlyInAnyOrderElementsOf(model.keySet());
    }

    @Test
    void shouldGiveEverythingBackInOrder() {
        List<Long> times = new ArrayList<>();
        new Random(42).longs(2_000, 0, 1_000_000).forEach(times::add);
        Map<Item, Long> dues = new HashMap<>();
        for (long time : times) {
            Item item = new Item();
            dues.put(item, time);
            this.queue.put(item, time);
        }

        List<Long> polled = new ArrayList<>();
        for (Item item = this.queue.pollDue(1_000_000); item != null; item = this.queue.pollDue(1_000_000)) {
            polled.add(dues.get(item));
        }

        assertThat(polled).hasSameSizeAs(times).isSorted();
        assertThat(this.queue.snapshot()).isEmpty();
    }

    @Test
    void shouldTakeAnEntryBackThatWasTakenOut() {
        Item item = new Item();
        assertThat(this.queue.put(item, 10)).isTrue();
        this.queue.remove(item);
        this.queue.remove(item);
        assertThat(this.queue.firstDue(EMPTY)).isEqualTo(EMPTY);

        assertThat(this.queue.put(item, 20)).isTrue();

        assertThat(this.queue.pollDue(19)).isNull();
        assertThat(this.queue.pollDue(20)).isSameAs(item);
        assertThat(this.queue.pollDue(20)).isNull();
    }

    @Test
    void shouldSayWhoIsTheFirstOfAll() {
        Item early = new Item();
        Item late = new Item();
        assertThat(this.queue.put(late, 20)).isTrue();
        assertThat(this.queue.put(early, 10)).isTrue();

        assertThat(this.queue.put(late, 30)).isFalse();
        assertThat(this.queue.put(late, 5)).isTrue();
        assertThat(this.queue.put(late, 40)).isFalse();

        assertThat(this.queue.firstDue(EMPTY)).isEqualTo(10);
    }

    private static long earliest(Map<Item, Long> model) {
        return model.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    }
}
