package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives methods whose annotation has no name the one that is derived from class and method, and refuses a second method of
 * the same name: the two would share a lock by accident, and a job would be skipped because another one runs.
 */
final class DerivedNames {

    private final Map<String, LockSite> owners = new ConcurrentHashMap<>();

    /**
     * Returns the derived name.
     *
     * @param ofClass whether the annotation stands on the class
     */
    String claim(LockSite site, boolean ofClass) {
        String name = site.defaultLockName();
        LockSite owner = this.owners.putIfAbsent(name, site);
        if (owner != null && !owner.isSameMethodAs(site)) {
            throw refused(site, name, owner, ofClass);
        }
        return name;
    }

    private static InvalidLockDefinitionException refused(LockSite site, String name, LockSite owner, boolean ofClass) {
        if (site.isLambda() && owner.isLambda()) {
            return site.refused(
                    "its lock has no name and would be called '" + name
                            + "' for two lambdas: they would share one lock",
                    "Write them as classes, which have names. If they must exclude each other, give the annotation a name.");
        }
        return site.refused(
                "its lock has no name and would be called '" + name + "', as that of " + owner
                        + " is: the two methods would share one lock",
                ofClass
                        ? "An annotation of a class counts for each of its public methods: annotate the methods that need"
                                + " a lock, each with a name, or give the annotation of the class a name, and all of its"
                                + " methods exclude each other."
                        : "Give each of them a name of its own: @DistributedLock(name = \"…\"), or both the same name if"
                                + " they must exclude each other.");
    }
}
