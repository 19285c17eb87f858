package io.github.lockstarter.engine;

/**
 * The two clocks by which the end of a lease is determined. The monotonic clock stands still while a virtual machine is
 * suspended, and the wall clock can be set: a lease counts as held only while it has not ended by either of them.
 */
public interface LeaseClock {

    LeaseClock SYSTEM = new LeaseClock() {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis();
        }
    };

    long nanoTime();

    long currentTimeMillis();
}
