package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One instance at one moment, as the live page shows it.
 *
 * @param self this instance
 * @param instances all instances, this one included; null if the database does not answer
 * @param locks what this instance holds
 * @param waiting what this instance waits for
 * @param problem why locks cannot be acquired at the moment; null if they can
 * @param sales the events and their last tickets; null if the database does not answer
 */
record InstanceState(
        RunningInstance self,
        @Nullable List<RunningInstance> instances,
        List<HeldLock> locks,
        List<AwaitedLock> waiting,
        @Nullable String problem,
        @Nullable Sales sales) {

    /** Reads what this instance holds and waits for, and asks the store for the holders of the latter. */
    static InstanceState of(
            LockInventory inventory,
            RunningInstance self,
            @Nullable List<RunningInstance> instances,
            @Nullable Sales sales) {
        LockHealth health = inventory.health();
        return new InstanceState(
                self,
                instances,
                inventory.held().stream().map(HeldLock::of).toList(),
                inventory.awaited().stream()
                        .map(awaited -> AwaitedLock.of(awaited, stored(inventory, awaited.name())))
                        .toList(),
                health.status() == LockHealth.Status.DOWN ? health.problem() : null,
                sales);
    }

    private static @Nullable Stored stored(LockInventory inventory, String name) {
        try {
            return inventory.stored(name).orElse(null);
        } catch (LockStoreException e) {
            return null; // the problem of the health says why
        }
    }

    /** A lock that this instance holds, with its times in milliseconds. */
    record HeldLock(
            String name,
            String mode,
            String token,
            String state,
            long heldFor,
            long remaining,
            boolean renewed,
            int renewals) {

        static HeldLock of(Held held) {
            return new HeldLock(
                    held.name(),
                    held.mode().name(),
                    Long.toString(held.fencingToken()),
                    held.state().name(),
                    held.heldFor().toMillis(),
                    held.remaining().toMillis(),
                    held.renewed(),
                    held.renewals());
        }
    }

    /** A lock that this instance waits for, and its holder as the store knows it; times in milliseconds. */
    record AwaitedLock(
            String name,
            String mode,
            int waiters,
            long longest,
            @Nullable String holder,
            @Nullable Long holderPid,
            @Nullable String holderToken,
            @Nullable Long holderRemaining) {

        static AwaitedLock of(Awaited awaited, @Nullable Stored stored) {
            Optional<Stored> lock = Optional.ofNullable(stored);
            return new AwaitedLock(
                    awaited.name(),
                    awaited.mode().name(),
                    awaited.waiters(),
                    awaited.longest().toMillis(),
                    lock.map(Stored::holder).map(Object::toString).orElse(null),
                    lock.map(Stored::holder).map(LockHolder::pid).orElse(null),
                    lock.map(Stored::fencingToken).map(String::valueOf).orElse(null),
                    lock.map(Stored::remaining).map(Duration::toMillis).orElse(null));
        }
    }
}
