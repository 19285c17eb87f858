package io.github.lockstarter.history;

import io.github.lockstarter.history.Plan.Strike;
import java.time.Duration;

/** Does one bad thing after the other to a fleet, as a plan wants it, and writes it down. */
final class Nemesis {

    private final Fleet fleet;

    private final Plan plan;

    private long number;

    Nemesis(Fleet fleet, long seed) {
        this.fleet = fleet;
        this.plan = new Plan(seed, fleet.pace().lease(), fleet.members().size());
    }

    /** Goes on until the time is over; returns how many bad things it did. */
    long harass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            Strike strike = this.plan.next();
            carryOut(strike);
            Pause.of(strike.calm());
        }
        return this.number;
    }

    private void carryOut(Strike strike) {
        Trouble trouble = strike.trouble();
        Member victim = this.fleet.members().get(strike.victim());
        this.number++;
        String target = trouble.isForAll() ? Troubles.ALL : victim.name();
        String what = trouble.name() + " for " + strike.lasts().toMillis() + " ms";
        this.fleet.log().now(EventKind.FAULT, target, this.number, 0, 0, what);
        trouble.begin(this.fleet, victim);
        Pause.of(strike.lasts());
        trouble.end(this.fleet, victim);
        this.fleet.log().now(EventKind.HEALED, target, this.number, 0, 0, "");
        victim.network().forgetCommands();
    }
}
