package io.github.lockstarter.aop.metadata;

import java.util.List;

/**
 * What one kind of bean has to do with locks.
 *
 * @param beanClass class of the bean as its author wrote it
 * @param methods its methods that carry the annotation or are covered by one on the class, callable or not
 */
public record LockedType(Class<?> beanClass, List<LockedMethod> methods) {

    public boolean isLocked() {
        return !this.methods.isEmpty();
    }
}
