package io.github.lockstarter.store.redis.script;

/**
 * Guards the tasks that callers hand over to executors and event loops. A {@code StackOverflowError} inside of such an executor
 * can leave its lock taken or its queue broken for ever.
 */
public final class StackRoom {

    /** Many times what an executor needs, also when this class is compiled and the executor is not. */
    private static final int CALLS = 256;

    private StackRoom() {}

    /**
     * Returns if the stack of the calling thread has room for a task to be handed over.
     *
     * @throws StackOverflowError otherwise
     */
    public static void require() {
        int unused = descend(CALLS);
    }

    private static int descend(int calls) {
        return calls == 0 ? 0 : 1 + descend(calls - 1);
    }
}
