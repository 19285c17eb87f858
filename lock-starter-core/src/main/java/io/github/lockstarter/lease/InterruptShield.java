package io.github.lockstarter.lease;

/** Keeps interrupts away from what must not be interrupted, and gives them back at the end. */
final class InterruptShield implements AutoCloseable {

    private boolean interrupted = Thread.interrupted();

    private boolean news;

    /** Whether an interrupt came since the last look; it is taken in. */
    boolean caught() {
        boolean caught = Thread.interrupted() || this.news;
        this.news = false;
        this.interrupted |= caught;
        return caught;
    }

    /** An interrupt was taken in already, by the exception that it caused. */
    void took() {
        this.interrupted = true;
        this.news = true;
    }

    @Override
    public void close() {
        if (this.interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
