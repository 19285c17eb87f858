package io.github.lockstarter.lease.holder;

import io.github.lockstarter.LockHolder;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** The description of this instance, whose host may become known only after the start. Thread-safe. */
public final class ThisInstance {

    private final String id;

    private volatile LockHolder holder;

    private final CompletableFuture<LockHolder> complete;

    /**
     * Creates the description, and begins to find the name of the host.
     *
     * @param id id of the instance
     * @param application name of the application
     * @param startedAt time of the start
     */
    public ThisInstance(String id, String application, Instant startedAt) {
        this.id = id;
        long pid = ProcessHandle.current().pid();
        this.holder = new LockHolder(id, application, null, pid, startedAt);
        this.complete = HostName.find(System.getenv())
                .thenApply(host -> this.holder = new LockHolder(id, application, host, pid, startedAt));
    }

    public String id() {
        return this.id;
    }

    /** Returns the description as far as it is known. */
    public LockHolder holder() {
        return this.holder;
    }

    /** Returns the description with the host; it is completed when that is known. */
    CompletableFuture<LockHolder> complete() {
        return this.complete;
    }
}
