package io.github.lockstarter.engine;

/**
 * The two clocks that determine the end of a lease. The monotonic clock may stand still while a virtual machine is
 * suspended, and the wall clock can be set. Therefore a lease counts as held only until the first of the two clocks
 * shows that it has ended.
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
