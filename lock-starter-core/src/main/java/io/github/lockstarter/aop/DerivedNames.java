package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock names that are derived from class and method because the annotation has no name. A name that two methods
 * derive is rejected: the methods would share a lock by accident, and a job would be skipped because another job runs.
 * Thread-safe.
 */
final class DerivedNames {

    private final Map<String, LockSite> owners = new ConcurrentHashMap<>();

    /**
     * Returns the derived name of a method and reserves it.
     *
     * @param ofClass whether the class carries the annotation
     * @throws InvalidLockDefinitionException if another method derives the same name
     */
    String claim(LockSite site, boolean ofClass) {
        String name = site.defaultLockName();
        LockSite owner = this.owners.putIfAbsent(name, site);
        if (owner != null && !owner.isSameMethodAs(site)) {
            throw rejection(site, name, owner, ofClass);
        }
        return name;
    }

    private static InvalidLockDefinitionException rejection(
            LockSite site, String name, LockSite owner, boolean ofClass) {
        if (site.isLambda() && owner.isLambda()) {
            return site.rejection(
                    "the annotation has no name, and the derived name '" + name
                            + "' belongs to two lambdas, which would share one lock",
                    "Write them as classes, which have names of their own. If they must exclude each other, set the name of"
                            + " the annotation.");
        }
        return site.rejection(
                "the annotation has no name, and the derived name '" + name + "' is already that of " + owner
                        + ", so that both methods would share one lock",
                ofClass
                        ? "An annotation of a class applies to each of its public methods. Annotate the methods that need a"
                                + " lock, each with a name, or set the name of the class annotation, so that all of its"
                                + " methods exclude each other."
                        : "Set a different name for each of them: " + site.annotationName()
                                + "(name = \"…\"), or the same name if" + " they must exclude each other.");
    }
}
