package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealthDetails;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.registry.GrantFence;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Reports the health of the locks of this instance, within milliseconds even if the store does not answer. */
final class LockHealthIndicator implements HealthIndicator {

    private final LockInventory inventory;

    private final @Nullable GrantFence fence;

    private final Iterable<LockHealthDetails> others;

    /**
     * Creates an indicator.
     *
     * @param fence the fence, which adds its details, or {@code null} if there is none
     * @param others further details, in their order
     */
    LockHealthIndicator(LockInventory inventory, @Nullable GrantFence fence, Iterable<LockHealthDetails> others) {
        this.inventory = inventory;
        this.fence = fence;
        this.others = others;
    }

    @Override
    public Health health() {
        LockHealth health = this.inventory.health();
        Health.Builder answer = switch (health.status()) {
            case UP -> Health.up();
            case DOWN -> Health.down();
            case UNKNOWN -> Health.unknown();
        };
        answer.withDetails(health.details());
        if (this.fence != null) {
            answer.withDetail("fence", this.fence.details());
        }
        this.others.forEach(other -> answer.withDetail(other.name(), other.details()));
        return answer.build();
    }
}
