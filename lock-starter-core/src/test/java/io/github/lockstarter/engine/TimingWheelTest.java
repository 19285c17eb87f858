package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queue of what is due, against a plain map. */
class TimingWheelTest {

    private static final long NONE = Long.MAX_VALUE;

    private static final class Item extends TimingWheel.Entry {}

    private final Map<Item, Long> model = new HashMap<>();

    private TimingWheel<Item> queue = new TimingWheel<>(0);

    private List<Item> pollAll(long time) {
        List<Item> all = new ArrayList<>();
        for (List<Item> due = this.queue.pollDue(time); !due.isEmpty(); due = this.queue.pollDue(time)) {
            all.addAll(due);
        }
        return all;
    }

    private long earliest() {
        return this.model.values().stream().mapToLong(Long::longValue).min().orElse(NONE);
    }

    /** Times are those of a clock that may overflow, so the model counts from its start. */
    @ParameterizedTest
    @CsvSource({
        "0, 1000",
        "-9223372036854775808, 3000000000",
        "9223372036854775307, 30000000000",
        "-5, 3000000000000",
    })
    void shouldDoWhatAModelDoes(long start, long span) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        this.queue = new TimingWheel<>(start);
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            items.add(new Item());
        }
        long now = 0;
        // the time for which the next look is planned
        long announced = NONE;

        for (int step = 0; step < 30_000; step++) {
            Item item = items.get(random.nextInt(items.size()));
            int choice = random.nextInt(step / 5_000 % 2 == 0 ? 9 : 11);
            if (choice < 6) {
                long due = now + random.nextLong(span) - span / 10;
                if (this.queue.put(item, start + due)) {
                    announced = due;
                }
                this.model.put(item, due);
            } else if (choice < 8) {
                this.queue.remove(item);
                this.model.remove(item);
            } else {
                // some looks are ahead of time
                long time = now + random.nextLong(span / 200);
                now = random.nextBoolean() ? time : now;
                for (Item polled : pollAll(start + time)) {
                    assertThat(this.model.remove(polled)).as("seed %s", seed).isLessThanOrEqualTo(time);
                }
                assertThat(earliest()).as("seed %s", seed).isGreaterThan(time);
            }
            if (random.nextInt(5) == 0) {
                long first = this.queue.firstDue(start + NONE);
                announced = this.model.isEmpty() ? NONE : first - start;
                assertThat(first == start + NONE).as("seed %s", seed).isEqualTo(this.model.isEmpty());
                // a look that is late by that much
                long then = now + random.nextLong(span / 50);
                assertThat(this.queue.firstLate(start + then) - start)
                        .as("seed %s", seed)
                        .isEqualTo(Math.min(earliest(), then));
            }
            assertThat(announced).as("seed %s", seed).isLessThanOrEqualTo(earliest());
        }
        assertThat(pollAll(start + now + 2 * span)).containsExactlyInAnyOrderElementsOf(this.model.keySet());
    }

    /** Looks at the times that the queue gives meet each entry in time, and are not much more than that. */
    @Test
    void shouldLeadToEachEntryInTime() {
        new Random(42).longs(500, 0, Duration.ofSeconds(40).toNanos()).forEach(due -> {
            Item item = new Item();
            this.model.put(item, due);
            this.queue.put(item, due);
        });
        long now = 0;
        int looks = 0;
        while (!this.model.isEmpty()) {
            long next = this.queue.firstDue(NONE);
            assertThat(next).isBetween(now, earliest());
            now = next;
            looks++;
            for (Item item : pollAll(now)) {
                assertThat(this.model.remove(item)).isLessThanOrEqualTo(now);
            }
        }

        assertThat(this.queue.firstDue(NONE)).isEqualTo(NONE);
        assertThat(looks).isLessThan(500 * 12);
    }

    @Test
    void shouldTakeAnEntryBackThatWasTakenOut() {
        Item item = new Item();
        assertThat(this.queue.put(item, 10)).isTrue();
        this.queue.remove(item);
        this.queue.remove(item);
        assertThat(this.queue.firstDue(NONE)).isEqualTo(NONE);

        assertThat(this.queue.put(item, 20)).isTrue();

        assertThat(this.queue.pollDue(19)).isEmpty();
        assertThat(this.queue.pollDue(20)).containsExactly(item);
        assertThat(this.queue.pollDue(20)).isEmpty();
    }

    @Test
    void shouldReportATimeEarlierThanAllThatWereKnown() {
        Item early = new Item();
        Item late = new Item();
        assertThat(this.queue.put(late, 20)).isTrue();
        assertThat(this.queue.put(early, 10)).isTrue();

        assertThat(this.queue.put(late, 30)).isFalse();
        assertThat(this.queue.put(late, 5)).isTrue();
        assertThat(this.queue.put(late, 40)).isFalse();

        assertThat(this.queue.firstDue(NONE)).isLessThanOrEqualTo(10);
        assertThat(this.queue.pollDue(10)).containsExactly(early);
    }
}
