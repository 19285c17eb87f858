package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The static names of one application, each of which is that of locks or that of semaphores: the store rejects the
 * second use of a name that is held in the other way, which would depend on what runs at the same time. Thread-safe.
 */
final class NameUses {

    private final Map<String, LockSite> owners = new ConcurrentHashMap<>();

    /**
     * Notes the use of a name.
     *
     * @throws InvalidLockDefinitionException if another annotation uses it in the other way
     */
    void claim(LockSite site, String name) {
        LockSite owner = this.owners.putIfAbsent(name, site);
        if (owner != null && owner.annotation() != site.annotation()) {
            String where = owner.isSameMethodAs(site) ? "the same method" : owner.toString();
            throw site.rejection(
                    "the name '" + name + "' is used for a " + kind(site) + ", but for a " + kind(owner) + " by "
                            + owner.annotationName() + " on " + where,
                    "Set different names: one name cannot be both a lock and a semaphore.");
        }
    }

    private static String kind(LockSite site) {
        return site.annotation() == DistributedSemaphore.class ? "semaphore" : "lock";
    }
}
