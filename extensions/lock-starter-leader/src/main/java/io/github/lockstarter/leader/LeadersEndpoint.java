package io.github.lockstarter.leader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Actuator endpoint for the leaders of all roles of this application. */
@Endpoint(id = "leaders", defaultAccess = Access.READ_ONLY)
final class LeadersEndpoint {

    private final LeaderElections elections;

    LeadersEndpoint(LeaderElections elections) {
        this.elections = elections;
    }

    /** Returns the roles in the order of their names. Blocks for at most two command timeouts. */
    @ReadOperation
    @RegisterReflectionForBinding(RoleDescription.class)
    LeadersDescription leaders() {
        List<CompletableFuture<RoleDescription>> read = new ArrayList<>();
        for (RoleRunner runner : this.elections.runners()) {
            read.add(leader(runner)
                    .thenApply(leader -> describe(runner, leader.orElse(null), null))
                    .exceptionally(failure -> describe(runner, null, failure))
                    .toCompletableFuture());
        }
        return new LeadersDescription(read.stream()
                .map(CompletableFuture::join)
                .sorted(Comparator.comparing(RoleDescription::role))
                .collect(Collectors.toList()));
    }

    private CompletionStage<Optional<Leader>> leader(RoleRunner runner) {
        try {
            return this.elections.leaderAsync(runner.role());
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private static RoleDescription describe(RoleRunner runner, @Nullable Leader leader, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return new RoleDescription(
                runner.role(),
                runner.isLeader(),
                runner.state() != LeaderRole.State.IDLE,
                LeaderElections.describe(runner),
                leader,
                cause != null ? cause.getMessage() : null);
    }

    /**
     * The roles.
     *
     * @param roles a description of each role
     */
    record LeadersDescription(List<RoleDescription> roles) implements OperationResponseBody {}

    /**
     * A role.
     *
     * @param role the role
     * @param leads whether this instance leads
     * @param contends whether this instance contends, leads, or pauses before it contends
     * @param state {@code leader}, {@code contending}, {@code paused}, {@code ending} or {@code stopped}
     * @param leader the leader, or {@code null} if there is none or it could not be read
     * @param error why the leader could not be read, or {@code null}
     */
    record RoleDescription(
            String role,
            boolean leads,
            boolean contends,
            String state,
            @Nullable Leader leader,
            @Nullable String error) {}
}
