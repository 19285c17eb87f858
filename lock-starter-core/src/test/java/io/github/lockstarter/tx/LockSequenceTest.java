package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LockSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The order of several requests, and what each of them asks for. */
class LockSequenceTest {

    private static final LockSettings DEFAULTS = LockSettings.of(Duration.ofSeconds(30));

    private static LockSequence of(LockRequest... requests) {
        return LockSequence.of(Stream.of(requests), DEFAULTS);
    }

    /** The names of the locks in the order in which a call acquires them. */
    private static List<String> namesOf(LockSequence sequence) {
        List<String> names = new ArrayList<>();
        while (!sequence.areAllGranted()) {
            names.add(sequence.next().lockName() + " " + sequence.next().mode());
            sequence.add(null);
        }
        return names;
    }

    @Test
    void shouldBeSortedWithPermitsFirst() {
        LockRequest permits = LockRequest.of("z").withPermits(1, 2);
        LockRequest a = LockRequest.of("a");
        LockRequest b = LockRequest.of("b").withMode(LockMode.READ);

        assertThat(namesOf(of(b, permits, a))).containsExactly("z PERMIT", "a WRITE", "b READ");
        assertThat(namesOf(of(a, b, permits))).containsExactly("z PERMIT", "a WRITE", "b READ");
    }

    @Test
    void shouldContainANameOnce() {
        LockRequest reader = LockRequest.of("a").withMode(LockMode.READ);
        LockRequest writer = LockRequest.of("a");
        LockRequest fewer = LockRequest.of("s").withPermits(1, 3);
        LockRequest more = LockRequest.of("s").withPermits(2, 3);
        LockRequest first = LockRequest.of("b").withOnLost(OnLost.IGNORE);
        List<LockRequest> requests = new ArrayList<>(List.of(reader, fewer, first, writer, more, LockRequest.of("b")));

        LockSequence.arrange(requests, Function.identity(), false);

        assertThat(requests).containsExactly(more, writer, first);
    }

    @Test
    void shouldHaveALimitedNumberOfDifferentNames() {
        Stream<LockRequest> most = IntStream.range(0, 512).mapToObj(i -> LockRequest.of("a", "" + i % 256));
        assertThat(namesOf(LockSequence.of(most, DEFAULTS))).hasSize(256);

        Stream<LockRequest> more = IntStream.range(0, 257).mapToObj(i -> LockRequest.of("a", "" + i));
        assertThatThrownBy(() -> LockSequence.of(more, DEFAULTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("257");
        assertThatThrownBy(LockSequenceTest::of).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldShareOneDeadline() {
        LockRequest request = LockRequest.of("a").withWaitTime(Duration.ofMillis(300));

        assertThat(LockSequence.afterWaiting(request, TimeUnit.MILLISECONDS.toNanos(100), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(Duration.ofMillis(200));
        assertThat(LockSequence.afterWaiting(request, TimeUnit.MILLISECONDS.toNanos(400), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(Duration.ZERO);
        LockRequest unlimited = request.withWaitTime(LockRequest.FOREVER);
        assertThat(LockSequence.afterWaiting(unlimited, TimeUnit.HOURS.toNanos(1), Duration.ofHours(1))
                        .waitTime())
                .isEqualTo(LockRequest.FOREVER);
        assertThat(LockSequence.afterWaiting(LockRequest.of("a"), TimeUnit.SECONDS.toNanos(1), Duration.ofSeconds(3))
                        .waitTime())
                .isEqualTo(Duration.ofSeconds(2));
    }

    /** Until all of them are granted, each must be free at once if another one is not. */
    @Test
    void shouldRequestNothingThatLastsLongerThanTheCall() {
        LockSequence sequence = of(
                LockRequest.of("a").withMinHold(Duration.ofSeconds(5)).withReleaseAfterTransaction(true),
                LockRequest.of("b"));

        assertThat(sequence.next().minHold()).isZero();
        assertThat(sequence.next().releaseAfterTransaction()).isFalse();
    }
}
