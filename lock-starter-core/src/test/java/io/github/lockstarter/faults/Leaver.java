package io.github.lockstarter.faults;

/** Somebody who waits for a lock and can be made to give up. */
@FunctionalInterface
interface Leaver {

    /** Gives up; returns what the call ended with. */
    Throwable leave() throws Exception;
}
