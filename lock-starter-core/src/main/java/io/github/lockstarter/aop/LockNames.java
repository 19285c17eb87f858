package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockSpec;
import io.github.lockstarter.aop.metadata.LockedMethod;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Static names of the methods that got their lock. They are told when the application has started: who wants to hear
 * them must not be created before ordinary beans.
 */
final class LockNames {

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private final NavigableSet<String> untold = new ConcurrentSkipListSet<>();

    private volatile LockNameListener listener = lockName -> {};

    private volatile boolean started;

    void setListener(LockNameListener listener) {
        this.listener = listener;
    }

    void add(LockedMethod locked) {
        for (LockSpec spec : locked.specs()) {
            if (this.known.add(spec.name())) {
                this.untold.add(spec.name());
            }
        }
        // Beans that are made later, on first use, are not there at the start.
        if (this.started) {
            tell();
        }
    }

    void started() {
        this.started = true;
        tell();
    }

    private void tell() {
        for (String name = this.untold.pollFirst(); name != null; name = this.untold.pollFirst()) {
            this.listener.named(name);
        }
    }
}
