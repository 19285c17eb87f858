package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.io.Serializable;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The instance that holds a lock. An instance is one run of a lock registry; a restarted application is another one.
 * Everything but the id is known only after the description of the instance has been read from the store.
 *
 * @param instance id of the instance; the whole id of the owner if it was not created by this version of the library
 * @param application name of the application, or {@code null} if it is unknown
 * @param host name of the host, or {@code null} if it is unknown
 * @param pid id of the process on its host, or {@code null} if it is unknown
 * @param startedAt when the instance started, by the clock of the instance, or {@code null} if it is unknown
 */
public record LockHolder(
        String instance,
        @Nullable String application,
        @Nullable String host,
        @Nullable Long pid,
        @Nullable Instant startedAt)
        implements Serializable {

    /** Creates a holder of which only the id is known. */
    public LockHolder(String instance) {
        this(instance, null, null, null, null);
    }

    /** Returns {@code billing@host-7 (pid 4711)}, or the id if the application is unknown. It is printable. */
    @Override
    public String toString() {
        if (this.application == null) {
            return Printable.of(this.instance);
        }
        return Printable.of(this.application
                + (this.host != null ? '@' + this.host : "")
                + (this.pid != null ? " (pid " + this.pid + ')' : ""));
    }
}
