package io.github.lockstarter.lease;

/**
 * The two clocks a lease is judged by. The monotonic one stands still while a virtual machine is suspended, the wall
 * clock can be set: a lease counts as held only while both say so.
 */
interface LeaseClock {

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
