package io.github.lockstarter.leader;

import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What code can do with the roles of its context. */
final class DefaultLeaderElection implements LeaderElection {

    private final LeaderElections elections;

    DefaultLeaderElection(LeaderElections elections) {
        this.elections = elections;
    }

    @Override
    public Set<String> roles() {
        return new TreeSet<>(this.elections.states().keySet());
    }

    @Override
    public boolean isLeader(String role) {
        return this.elections.runner(role).isLeader();
    }

    @Override
    public Optional<Leader> leader(String role) {
        return this.elections.leader(this.elections.runner(role).role());
    }

    @Override
    public void cede(String role) {
        requireCeded(this.elections.runner(role), null);
    }

    @Override
    public void cede(String role, Duration pause) {
        RoleRunner runner = this.elections.runner(role);
        if (pause.isNegative() || pause.compareTo(LeaderProperties.LONGEST) > 0) {
            throw new IllegalArgumentException(Printable.of(
                    "Leader role '" + role + "' can be ceded for zero to " + LeaderProperties.LONGEST.toDays()
                            + " days, but not for " + pause + ". Call stop to give it up."));
        }
        requireCeded(runner, pause);
    }

    private static void requireCeded(RoleRunner runner, @Nullable Duration pause) {
        if (!runner.cede(pause)) {
            throw new IllegalStateException(Printable.of("Leader role '" + runner.role()
                    + "' cannot be ceded, because this instance does not lead. Call isLeader first, and expect this"
                    + " exception if the role is lost in between."));
        }
    }

    @Override
    public void start(String role) {
        RoleRunner runner = this.elections.runner(role);
        if (!this.elections.isReady() || !runner.start()) {
            throw new IllegalStateException(Printable.of("Leader role '" + role + "' cannot be started, because the"
                    + " application is not ready or is stopping. Start it from an ApplicationRunner or later, or set "
                    + "distributed-lock." + LeaderProperties.ROLES + role + ".auto-start=true."));
        }
    }

    @Override
    public void stop(String role) {
        CompletionStage<?> unused = this.elections.runner(role).stop();
    }
}
