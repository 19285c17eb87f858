package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Container of repeated {@link DistributedSemaphore} annotations. A call acquires the permits of all semaphores whose
 * conditions are met, or none.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedSemaphores {

    /** Returns the repeated annotations. */
    DistributedSemaphore[] value();
}
