package io.github.lockstarter.jdbc;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.stream.Stream;

/**
 * The calls by which the present thread has come to a place. Tells later whether the code around that place can still
 * be running. Immutable.
 */
final class CallStack {

    private static final StackWalker WALKER = StackWalker.getInstance();

    /** The innermost first. */
    private final List<Call> calls;

    /** A call, as far as a frame shows it. */
    private record Call(String className, String method, int position) {

        Call(StackFrame frame) {
            this(frame.getClassName(), frame.getMethodName(), frame.getByteCodeIndex());
        }

        boolean isOfSameMethod(Call other) {
            return this.className.equals(other.className) && this.method.equals(other.method);
        }
    }

    private CallStack(List<Call> calls) {
        this.calls = calls;
    }

    static CallStack here() {
        return new CallStack(
                WALKER.walk((Stream<StackFrame> frames) -> frames.map(Call::new).toList()));
    }

    /**
     * Returns whether the thread has left the code in which this was created. From the outermost call inwards, the
     * first difference between both stacks is decisive: a method that is at another position may still be running, and
     * another method shows that the former one has returned.
     *
     * <p>Returns false in case of doubt, such as for a method that was called once more. Not noticed is code that
     * consists of several calls by one loop, such as callbacks.
     */
    boolean hasReturned() {
        List<Call> present = here().calls;
        int depth = Math.min(present.size(), this.calls.size());
        for (int i = 1; i <= depth; i++) {
            Call then = this.calls.get(this.calls.size() - i);
            Call now = present.get(present.size() - i);
            if (!then.equals(now)) {
                return !then.isOfSameMethod(now);
            }
        }
        return false;
    }
}
