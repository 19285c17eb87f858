package io.github.lockstarter.leader;

import io.github.lockstarter.LockHolder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The leader of a role, as the store describes it.
 *
 * @param role the role
 * @param instance the instance that leads, or {@code null} if it is unknown
 * @param since when it became the leader, by the clock of the Redis server, or {@code null} if it is unknown
 * @param epoch the fencing token of the role's lock, or {@code null} if it is unknown
 */
public record Leader(
        String role,
        @Nullable LockHolder instance,
        @Nullable Instant since,
        @Nullable Long epoch) {}
