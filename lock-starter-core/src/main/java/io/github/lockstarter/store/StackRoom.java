package io.github.lockstarter.store;

/**
 * Guards steps that must not end in the middle. A {@code StackOverflowError} in an executor of the JDK, of an
 * event loop or of a state machine can leave a lock taken or a queue broken for ever. Costs about a quarter of a
 * microsecond.
 */
public final class StackRoom {

    /** Many times what such a step needs, also when this class is compiled and the step is not. */
    private static final int CALLS = 256;

    private StackRoom() {}

    /**
     * Returns if the stack of the calling thread has room for such a step.
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
