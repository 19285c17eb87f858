package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** A {@link DistributedLock} annotation that cannot do what it says; it fails the start of the application. */
public class InvalidLockDefinitionException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what is wrong, with class and method
     * @param remedy what to do about it
     */
    public InvalidLockDefinitionException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + " " + remedy, cause);
        this.remedy = remedy;
    }

    /** What to do about it, a whole sentence. */
    public String remedy() {
        return this.remedy;
    }
}
