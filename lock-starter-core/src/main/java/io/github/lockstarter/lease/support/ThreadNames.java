package io.github.lockstarter.lease.support;

/** Names threads for users. */
public final class ThreadNames {

    private ThreadNames() {}

    /** Returns the name, or {@code #} and the number: virtual threads have no name by default; thread dumps show their number. */
    public static String of(Thread thread) {
        return thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName();
    }
}
