package io.github.lockstarter.store;

/** Hears that a lock may be free. A hint and no more: it can be late, lost or wrong, so whoever waits also polls. */
public interface ReleaseListener {

    /** The lock of that name was released. */
    void released(String lockName);

    /** Releases may have been missed: everybody who waits should look once. */
    void missedSome();
}
