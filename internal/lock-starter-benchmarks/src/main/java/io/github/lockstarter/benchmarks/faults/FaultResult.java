package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Attempt;
import io.github.lockstarter.testsupport.history.Event;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.FleetRun;
import io.github.lockstarter.testsupport.history.History;
import io.github.lockstarter.testsupport.history.Rule;
import io.github.lockstarter.testsupport.history.Timing;
import io.github.lockstarter.testsupport.history.Violation;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of a history of one library.
 *
 * @param troubles the number of troubles
 * @param grants the number of grants
 * @param violations what violates the rules that the library promises
 * @param twoOwners all pairs of owners at the same time
 */
record FaultResult(long troubles, long grants, List<Found> violations, List<TwoOwners> twoOwners) {

    /** What had happened before a violation. */
    enum Before {
        /** Redis lost data between the events of the violation. */
        DATA_LOSS,
        /** The owner had been granted the lock while another one still worked, or while a late one released it. */
        LATE_OWNER,
        /** Neither. */
        NOTHING
    }

    /** A violation, and what had happened before it. */
    record Found(Violation violation, Before before) {

        @Override
        public String toString() {
            return this.before + " " + this.violation;
        }
    }

    static FaultResult of(Library library, FleetRun run) {
        FleetRun checked = library.reportsRemaining() ? run : withoutStandstills(run);
        Timing timing = run.plan().timing();
        List<TwoOwners> twoOwners = TwoOwners.in(run.history(), library.reply(timing));
        Predicate<Violation> isOverDataLoss = isOverDataLoss(library, run.history(), timing);
        Set<String> second = afterLateOwners(run.history(), twoOwners);
        List<Found> found = checked.violations(library.command(timing)).stream()
                .filter(violation -> library.promise(violation.rule()).isPresent())
                .map(violation -> new Found(
                        violation,
                        isOverDataLoss.test(violation)
                                ? Before.DATA_LOSS
                                : second.contains(violation.owner()) ? Before.LATE_OWNER : Before.NOTHING))
                .toList();
        return new FaultResult(run.troubles(), run.history().count(EventKind.GRANTED), found, twoOwners);
    }

    private static Predicate<Violation> isOverDataLoss(Library library, History history, Timing timing) {
        List<DataLoss> losses = DataLoss.in(history);
        Map<String, Attempt> grants = history.grants().values().stream()
                .flatMap(List::stream)
                .collect(Collectors.toMap(Attempt::name, Function.identity()));
        return violation -> {
            Attempt owner = grants.get(violation.owner());
            return owner != null
                    && losses.stream()
                            .filter(loss -> library.isExcusedBy(loss.trouble(), violation.rule()))
                            .anyMatch(loss -> loss.isBetween(owner, library.reply(timing), violation.at()));
        };
    }

    /**
     * Returns the names of the attempts that were granted while an owner was late: while it still worked, or between
     * the begin of its release and the answer, because some libraries then delete the lock of the next owner.
     */
    private static Set<String> afterLateOwners(History history, List<TwoOwners> pairs) {
        Set<String> second = pairs.stream().map(TwoOwners::next).collect(Collectors.toSet());
        Set<String> late = pairs.stream()
                .flatMap(pair -> Stream.of(pair.first(), pair.next()))
                .collect(Collectors.toSet());
        history.grants()
                .values()
                .forEach(grants -> grants.stream()
                        .filter(owner -> late.contains(owner.name()))
                        .forEach(owner -> grants.stream()
                                .filter(next -> next.granted().at() > owner.endOfWork()
                                        && next.granted().at() < owner.endOfRelease())
                                .forEach(next -> second.add(next.name()))));
        return second;
    }

    /**
     * A library that does not report the remaining time of a lease cannot know that the process stood still between the
     * reply of Redis and the return of the call, so that the owner may rely on the grant for a shorter time.
     */
    private static FleetRun withoutStandstills(FleetRun run) {
        History history = run.history();
        List<Event> shortened = Stream.concat(
                        history.events().stream().filter(event -> event.kind() != EventKind.GRANTED),
                        history.grants().values().stream()
                                .flatMap(List::stream)
                                .map(grant -> shortened(history, grant)))
                .toList();
        return new FleetRun(run.plan(), run.troubles(), new History(shortened), run.leftovers());
    }

    private static Event shortened(History history, Attempt grant) {
        Event granted = grant.granted();
        long stoodStill = history.stoodStill(grant.instance(), grant.invoked().at(), granted.at());
        return granted.withTime(granted.time() - stoodStill);
    }

    /** Returns the number of violations of a rule before which that had happened. */
    long violations(Rule rule, Before before) {
        return this.violations.stream()
                .filter(found -> found.violation().rule() == rule && found.before() == before)
                .count();
    }
}
