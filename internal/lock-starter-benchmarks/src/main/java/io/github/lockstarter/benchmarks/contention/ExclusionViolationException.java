package io.github.lockstarter.benchmarks.contention;

/**
 * More were inside at once than may be, or the order of the tokens was not that of the critical sections. No figure
 * excuses that.
 */
public final class ExclusionViolationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ExclusionViolationException(String message) {
        super(message);
    }
}
