package io.github.lockstarter.leader;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the roles, by role. To measure the time without a leader, an instance that does not lead reads the
 * lock of each role every few seconds. Thread-safe.
 */
final class LeaderMeters implements MeterBinder {

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration FIRST = Duration.ofSeconds(1);

    private final LeaderElections elections;

    private final ConcurrentMap<String, Absence> absences = new ConcurrentHashMap<>();

    LeaderMeters(LeaderElections elections) {
        this.elections = elections;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        this.elections.observe(runner -> bind(runner, registry));
    }

    private void bind(RoleRunner runner, MeterRegistry registry) {
        String role = runner.role();
        Absence absence = this.absences.computeIfAbsent(role, any -> {
            Absence created = new Absence(runner);
            Object unused = this.elections
                    .timer()
                    .scheduleWithFixedDelay(
                            created::check, FIRST.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            return created;
        });
        Gauge.builder("distributed.lock.leader", runner, it -> it.isLeader() ? 1 : 0)
                .description("1 if this instance leads, otherwise 0")
                .tag("role", role)
                .register(registry);
        FunctionCounter.builder("distributed.lock.leader.changes", runner, RoleRunner::grants)
                .description("How often this instance has become the leader")
                .tag("role", role)
                .register(registry);
        FunctionCounter.builder("distributed.lock.leader.skipped", runner, RoleRunner::skipped)
                .description("Calls that were skipped because this instance did not lead")
                .tag("role", role)
                .register(registry);
        TimeGauge.builder("distributed.lock.leader.absent", absence, TimeUnit.NANOSECONDS, Absence::nanos)
                .description("Time for which this instance has seen no leader; 0 if there is one")
                .tag("role", role)
                .register(registry);
    }

    /** The time without a leader of one role, as this instance sees it. */
    private final class Absence {

        private final RoleRunner runner;

        private volatile @Nullable Long since;

        Absence(RoleRunner runner) {
            this.runner = runner;
        }

        void check() {
            if (this.runner.isLeader()) {
                this.since = null;
                return;
            }
            CompletionStage<Optional<Leader>> read;
            try {
                read = LeaderMeters.this.elections.leaderAsync(this.runner.role());
            } catch (RuntimeException ex) {
                seen(false);
                return;
            }
            // A store that does not answer counts as one without a leader.
            CompletionStage<?> unused =
                    read.whenComplete((leader, failure) -> seen(leader != null && leader.isPresent()));
        }

        private void seen(boolean isPresent) {
            if (isPresent) {
                this.since = null;
            } else if (this.since == null) {
                this.since = System.nanoTime();
            }
        }

        double nanos() {
            Long begin = this.since;
            return begin == null || this.runner.isLeader() ? 0 : System.nanoTime() - begin;
        }
    }
}
