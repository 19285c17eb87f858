package io.github.lockstarter.contradiction;

import io.github.lockstarter.DistributedLock;

/** Cannot be read; in a package of its own, because other tests scan theirs. */
public class KeyAndValue {

    @DistributedLock(value = "#id", key = "#a0")
    public void run(String id) {}
}
