package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.key.Expressions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/**
 * The static names of one application's locks. A name is derived from class and method if the annotation has none; a name
 * that two methods derive is rejected: the methods would share a lock by accident, and a job would be skipped because another
 * job runs. A name for both locks and semaphores is rejected, too: the store rejects the second use of a name that is held in
 * the other way, which would depend on what runs at the same time. Thread-safe.
 */
final class LockNames {

    private final Placeholders placeholders;

    private final Map<String, LockSite> derivedBy = new ConcurrentHashMap<>();

    private final Map<String, LockSite> usedBy = new ConcurrentHashMap<>();

    LockNames(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /** Returns the name of an annotation and reserves it. */
    String of(LockSite site, MergedAnnotation<?> annotation) {
        String derived = derived(site, annotation);
        String name = derived != null ? derived : given(site, annotation);
        try {
            LockRequest unused = LockRequest.of(name, "");
        } catch (IllegalArgumentException ex) {
            throw site.rejection(
                    "name = \"" + annotation.getString("name") + "\" cannot name a lock",
                    String.valueOf(ex.getMessage()),
                    ex);
        }
        checkUse(site, name);
        return name;
    }

    /** Checks a derived name, which needs no placeholders and so can be checked at build time. */
    void checkDerived(LockSite site, MergedAnnotation<?> annotation) {
        String derived = derived(site, annotation);
        if (derived != null) {
            checkUse(site, derived);
        }
    }

    /** Returns the derived name; null if a name is set. */
    private @Nullable String derived(LockSite site, MergedAnnotation<?> annotation) {
        if (!annotation.getString("name").isEmpty()) {
            return null;
        }
        String name = site.defaultLockName();
        LockSite owner = this.derivedBy.putIfAbsent(name, site);
        if (owner == null || owner.isSameMethodAs(site)) {
            return name;
        }
        throw site.rejection(
                "the annotation has no name, and the derived name '" + name + "' is already that of " + owner
                        + ", so that both methods would share one lock",
                "Set a different name for each of them, " + site.annotationName() + "(name = \"…\"), or the same name if they"
                        + " must exclude each other. An annotation of a class applies to each of its public methods.");
    }

    private String given(LockSite site, MergedAnnotation<?> annotation) {
        String text = annotation.getString("name");
        // A name is not evaluated: with an expression in it, all calls would share one lock without notice.
        if (Expressions.isIn(text, site.method(), annotation.getSource())) {
            throw site.rejection(
                    "name = \"" + text + "\" is not evaluated, so that all calls would share one lock",
                    "Expressions belong in key: name = \"order\", key = \"#id\" locks order:42 for an id of 42.");
        }
        String name = this.placeholders.resolve(site, "name", text);
        if (!StringUtils.hasText(name)) {
            throw site.rejection(
                    "name = \"" + text + "\" is blank",
                    "Set a name, or remove the attribute to use " + site.defaultLockName() + ".");
        }
        return name;
    }

    private void checkUse(LockSite site, String name) {
        LockSite owner = this.usedBy.putIfAbsent(name, site);
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
