package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.GrantFence;
import io.github.lockstarter.registry.RegistryStatistics;
import io.github.lockstarter.store.MessageStatus;
import java.util.Comparator;
import java.util.List;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.lang.Nullable;

/**
 * Actuator endpoint for the locks of this instance. Reading is allowed by default; a request to release a
 * lock and a forced release require {@code management.endpoint.locks.access=unrestricted}.
 *
 * <p>The name of a lock is the rest of the path, including slashes, or the parameter {@code name}, because servers and
 * firewalls reject or change some texts in a path.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {

    /** Largest number of locks in each list of a result. */
    static final int MOST = 1000;

    private final LockInventory inventory;

    private final LockRegistry registry;

    private final SettingsInForce settings;

    private final ObjectProvider<GrantFence> fence;

    LocksEndpoint(
            LockInventory inventory,
            LockRegistry registry,
            SettingsInForce settings,
            ObjectProvider<GrantFence> fence) {
        this.inventory = inventory;
        this.registry = registry;
        this.settings = settings;
        this.fence = fence;
    }

    /**
     * Returns all locks of this instance, or one by its full name. {@code Nullable} is the annotation of Spring,
     * because Spring Boot 3 does not support JSpecify for optional parameters.
     */
    @ReadOperation
    @RegisterReflectionForBinding(LocksDescription.class) // not reachable by the return type in a native image
    @SuppressWarnings("deprecation")
    OperationResponseBody locks(@Nullable String name) {
        return name != null ? lock(name) : locks();
    }

    @ReadOperation
    LockDescription lock(@Selector(match = Match.ALL_REMAINING) String... name) {
        return lock(String.join("/", name));
    }

    /**
     * Ends all grants of the lock, including the grants of readers and permits, or one of them.
     *
     * @param holder the id of the grant that is ended, see {@link LockInventory.StoredGrant#id()}
     */
    @DeleteOperation
    @SuppressWarnings("deprecation") // as above
    ReleaseDescription release(String name, @Nullable String holder) {
        requireUsable(name);
        LeaseLock lock = this.registry.getLock(name);
        boolean released = holder != null ? lock.forceUnlock(holder) : lock.forceUnlock();
        MessageStatus messages = messages();
        boolean isPolling = messages != null && messages.mode().equals("polling");
        return new ReleaseDescription(name, released, released && !isPolling);
    }

    /** Releases the lock by its path; has its own name, because JMX does not support overloads. */
    @DeleteOperation
    @SuppressWarnings("deprecation")
    ReleaseDescription releaseAtPath(@Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String holder) {
        return release(String.join("/", name), holder);
    }

    /**
     * Asks the owners of the lock to release it, or one of them. Over HTTP, its parameters make JSON the only accepted
     * content type, which a form of another site cannot send.
     *
     * @param holder the id of the grant whose owner is asked, see {@link LockInventory.StoredGrant#id()}
     */
    @WriteOperation
    @SuppressWarnings("deprecation") // as above
    RequestDescription requestRelease(String name, @Nullable String holder) {
        requireUsable(name);
        LeaseLock lock = this.registry.getLock(name);
        return new RequestDescription(name, holder != null ? lock.requestRelease(holder) : lock.requestRelease());
    }

    /** Asks the owners of the lock by its path; has its own name as above. */
    @WriteOperation
    @SuppressWarnings("deprecation")
    RequestDescription requestReleaseAtPath(
            @Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String holder) {
        return requestRelease(String.join("/", name), holder);
    }

    private @org.jspecify.annotations.Nullable MessageStatus messages() {
        return this.inventory instanceof RegistryStatistics statistics ? statistics.messages() : null;
    }

    private LocksDescription locks() {
        List<Held> held = this.inventory.held();
        List<Awaited> awaited = this.inventory.awaited();
        MessageStatus messages = messages();
        return new LocksDescription(
                held.size(),
                held.stream()
                        .sorted(Comparator.comparing(Held::heldFor).reversed())
                        .limit(MOST)
                        .toList(),
                awaited.size(),
                awaited.stream()
                        .sorted(Comparator.comparing(Awaited::longest).reversed())
                        .limit(MOST)
                        .toList(),
                this.inventory.server().orElse(null),
                this.settings.describe(),
                messages != null ? messages.describe() : null,
                this.fence.stream().map(GrantFence::details).findFirst().orElse(null));
    }

    private LockDescription lock(String name) {
        requireUsable(name);
        return new LockDescription(
                name,
                this.inventory.held(name).orElse(null),
                this.inventory.awaited(name).orElse(null),
                stored(name));
    }

    private StoreDescription stored(String name) {
        try {
            return this.inventory.stored(name).map(StoreDescription::held).orElse(StoreDescription.FREE);
        } catch (LockStoreException ex) {
            return StoreDescription.failed(ex.getMessage());
        }
    }

    private static void requireUsable(String name) {
        try {
            LockRequest unused = LockRequest.of(name);
        } catch (IllegalArgumentException ex) {
            String why = String.valueOf(ex.getMessage());
            throw new InvalidEndpointRequestException(why, why, ex);
        }
    }
}
