package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.text.LockLog;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** The one bean to use of those that an application may have several of. */
final class OnlyCandidate {

    private OnlyCandidate() {}

    /**
     * Returns the only bean, or the primary one. Null if there is none, and if it is not clear which; that is logged if one
     * of them is of use.
     *
     * @param missed what is missing without it, as the warning begins
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
