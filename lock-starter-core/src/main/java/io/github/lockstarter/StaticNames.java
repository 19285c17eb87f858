package io.github.lockstarter;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Caches static names, so that the requests for many locks share one string for each static name. Thread-safe. */
final class StaticNames {

    /** Largest number of cached names; names beyond it are not cached. */
    private static final int MOST = 1000;

    private static final ConcurrentMap<String, String> KNOWN = new ConcurrentHashMap<>();

    private StaticNames() {}

    /** Returns the part of the lock's name before the position. */
    static String of(String lockName, int end) {
        String name = lockName.substring(0, end);
        String known = KNOWN.get(name);
        if (known == null) {
            known = KNOWN.size() < MOST ? KNOWN.computeIfAbsent(name, unused -> name) : name;
        }
        return known;
    }
}
