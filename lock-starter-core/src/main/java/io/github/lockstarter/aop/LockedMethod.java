package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/** A method that is to run under a lock. Its annotation is read when the spec is asked for, and only once. */
final class LockedMethod {

    private final LockSite site;

    private final MergedAnnotations annotations;

    private final boolean classLevel;

    private final LockSpecReader reader;

    private volatile @Nullable LockSpec spec;

    LockedMethod(LockSite site, MergedAnnotations annotations, boolean classLevel, LockSpecReader reader) {
        this.site = site;
        this.annotations = annotations;
        this.classLevel = classLevel;
        this.reader = reader;
    }

    LockSite site() {
        return this.site;
    }

    /** Whether the annotation stands on the class and not on the method. */
    boolean isClassLevel() {
        return this.classLevel;
    }

    LockSpec spec() {
        LockSpec known = this.spec;
        if (known == null) {
            // Two threads may both read it; they get the same.
            known = this.reader.read(this.site, annotation());
            this.spec = known;
        }
        return known;
    }

    /** The nearest annotation, merged with what composed annotations set. */
    private MergedAnnotation<DistributedLock> annotation() {
        try {
            List<MergedAnnotation<DistributedLock>> all =
                    this.annotations.stream(DistributedLock.class).toList();
            MergedAnnotation<DistributedLock> nearest = all.get(0);
            // What is farther away is replaced by the nearest; two on the same element are two locks.
            if (all.size() > 1 && all.get(1).getAggregateIndex() == nearest.getAggregateIndex()) {
                throw this.site.refused(
                        "the annotation stands there more than once, which is not supported by this version",
                        "Leave one of them, and nest a second annotated bean method for a second lock.");
            }
            return nearest;
        } catch (AnnotationConfigurationException ex) {
            throw this.site.refused(
                    "its attributes contradict each other: " + ex.getMessage(),
                    "Set either value or key, and check the @AliasFor of composed annotations.",
                    ex);
        }
    }
}
