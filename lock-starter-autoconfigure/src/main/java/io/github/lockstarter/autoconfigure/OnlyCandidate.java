package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.text.LockLog;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Selects a bean of a type of which an application may have several. */
final class OnlyCandidate {

    private OnlyCandidate() {}

    /**
     * Returns the only bean or the primary one, or {@code null} if there is none, or if there are several without a
     * primary one, which is logged at WARN if one of them would be used.
     *
     * @param missed what is not available without the bean, such as "meters"
     * @param isOfUse whether a bean would be used
     */
    static <T> @Nullable T of(
            ObjectProvider<T> beans, Class<T> type, String missed, Predicate<T> isOfUse, LockLog logger) {
        T only = beans.getIfUnique();
        if (only == null && beans.stream().anyMatch(isOfUse)) {
            logger.warn("No " + missed + " of distributed locks: there is more than one " + type.getSimpleName()
                    + " bean, and none of them is @Primary.");
        }
        return only;
    }
}
