package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages about a place: they reach whoever asks from it, now or later. */
class PlaceNoticeTest {

    private static final String NAME = "orders:42";

    private final LocalQueues queues = new LocalQueues(() -> new Place("id"));

    private final Turn first = this.queues.enter(NAME, null);

    private final Turn second = this.queues.enter(NAME, null);

    @Test
    void shouldWakeOnlyWhoHasTheTurn() {
        List<String> woken = new ArrayList<>();
        this.first.onWake(() -> woken.add("first"));
        this.second.onWake(() -> woken.add("second"));
        Turn other = this.queues.enter("orders:1", null);
        other.onWake(() -> woken.add("other"));

        HandOverNotice.of(this.queues, NAME);
        HandOverNotice.of(this.queues, "unknown");
        assertThat(woken).containsExactly("first");
        this.queues.leave(this.first);
        HandOverNotice.of(this.queues, NAME);
        assertThat(woken).containsExactly("first", "second");
        this.queues.wakeAll();

        assertThat(woken).containsExactlyInAnyOrder("first", "second", "second", "other");
    }

    @Test
    void shouldBeNoticedUntilTheNextLookBegins() {
        Place place = this.first.place();
        assertThat(place.isNoticed()).isFalse();

        HandOverNotice.of(this.queues, NAME);
        assertThat(place.isNoticed()).isTrue();
        place.asking(0);

        assertThat(place.isNoticed()).isFalse();
        assertThat(place.wasHandedOver()).isTrue();
        this.queues.wakeAll();
        assertThat(place.isNoticed()).isTrue();
    }

    /** Only a message says that the lock came from another JVM, not that something may have been missed. */
    @Test
    void shouldNotTakeAnyLookForAHandOver() {
        this.queues.wakeAll();

        assertThat(this.first.place().isNoticed()).isTrue();
        assertThat(this.first.place().wasHandedOver()).isFalse();
    }

    /** The message comes while the release is on its way that gave the place to those behind. */
    @Test
    void shouldReachWhoIsCalledAfterwards() {
        this.first.settle();
        Place place = new Place("next");
        this.first.prepare(place);

        HandOverNotice.of(this.queues, NAME);
        this.queues.leave(this.first, place);

        assertThat(this.second.place()).isSameAs(place);
        assertThat(place.isNoticed()).isTrue();
    }

    /** The turn has been given on, but the one whose it is has not been called yet. */
    @Test
    void shouldReachWhoIsBeingCalled() {
        this.first.settle();
        Place place = new Place("next");
        this.first.prepare(place);
        Turn called = this.queues.end(this.first);

        HandOverNotice.of(this.queues, NAME);
        called.callToAsk(place);

        assertThat(place.isNoticed()).isTrue();
    }

    @Test
    void shouldNotMindAHolder() {
        this.first.settle();

        HandOverNotice.of(this.queues, NAME);
        this.queues.wakeAll();
        this.queues.leave(this.first);

        assertThat(this.second.place().isNoticed()).isFalse();
    }

    @Test
    void shouldBeGivenUpOnlyIfTheStoreMayKnowIt() {
        Place unknown = new Place("id");
        assertThat(unknown.isKnown()).isFalse();
        unknown.asking(1);
        unknown.answered(null);
        assertThat(unknown.isKnown()).isFalse();

        Place joined = new Place("id");
        joined.taken(true);
        Place queued = new Place("id");
        queued.queued(1);
        Place owned = new Place("id");
        owned.owned();
        Place unanswered = new Place("id");
        unanswered.unanswered(30);
        unanswered.unanswered(20);

        assertThat(List.of(joined, queued, owned, unanswered)).allMatch(Place::isKnown);
        assertThat(unanswered.unansweredMillis()).isEqualTo(30);
    }
}
