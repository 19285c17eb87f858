package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.text.LockLog;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** The one bean to use of those that an application may have several of. */
final class OnlyCandidate {

    private OnlyCandidate() {}

    /**
     * The only bean, or the primary one. Null if there is none; and if nobody can say which, and then the log tells.
     *
     * @param missed what goes without it, as a warning begins
     */
    static <T> @Nullable T of(ObjectProvider<T> beans, Class<T> type, String missed, LockLog logger) {
        T only = beans.getIfUnique();
        if (only == null && beans.stream().findAny().isPresent()) {
            logger.warn("No " + missed + " of distributed locks: there is more than one " + type.getSimpleName()
                    + " bean, and none of them is @Primary.");
        }
        return only;
    }
}
