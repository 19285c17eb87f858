package io.github.lockstarter.health.boot3;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockInventory;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** Reports the health of the locks of this instance, within milliseconds even if the store does not answer. */
final class LockHealthIndicator implements HealthIndicator {

    private final LockInventory inventory;

    LockHealthIndicator(LockInventory inventory) {
        this.inventory = inventory;
    }

    @Override
    public Health health() {
        LockHealth health = this.inventory.health();
        Health.Builder answer = switch (health.status()) {
            case UP -> Health.up();
            case DOWN -> Health.down();
            case UNKNOWN -> Health.unknown();
        };
        return answer.withDetails(health.details()).build();
    }
}
