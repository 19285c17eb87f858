package io.github.lockstarter.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What a nemesis does next. It follows from the seed alone, so that a run can be had again. */
final class Plan {

    /**
     * One bad thing.
     *
     * @param victim number of the member that it is done to
     * @param lasts how long
     * @param calm how long nothing happens after it
     */
    record Strike(Trouble trouble, int victim, Duration lasts, Duration calm) {}

    private final Random random;

    private final Duration lease;

    private final int victims;

    private final List<Trouble> deck = new ArrayList<>();

    Plan(long seed, Duration lease, int victims) {
        this.random = new Random(seed);
        this.lease = lease;
        this.victims = victims;
    }

    Strike next() {
        Trouble trouble = draw();
        int victim = this.random.nextInt(this.victims);
        Duration lasts = trouble.lasts(this.lease, this.random.nextDouble());
        // mostly a moment, sometimes time enough for all leases to run out
        int calm = this.random.nextInt(6) == 0 ? 200 : 10 + this.random.nextInt(30);
        return new Strike(trouble, victim, lasts, this.lease.multipliedBy(calm).dividedBy(100));
    }

    /** Every sort of trouble comes before the same one comes again. */
    private Trouble draw() {
        if (this.deck.isEmpty()) {
            this.deck.addAll(List.of(Trouble.values()));
            Collections.shuffle(this.deck, this.random);
            // In a short run, too, a process is killed early. The end of the deck is drawn first.
            int early = this.deck.size() - 1 - this.random.nextInt(5);
            Collections.swap(this.deck, this.deck.indexOf(Trouble.PROCESS_KILLED), early);
        }
        return this.deck.remove(this.deck.size() - 1);
    }
}
