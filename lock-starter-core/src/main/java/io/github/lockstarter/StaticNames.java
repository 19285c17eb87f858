package io.github.lockstarter;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** One text for each static name: locks come by the hundred thousand, their static names by the dozen. */
final class StaticNames {

    /** More different ones than that are no static names; each then has a text of its own. */
    private static final int MOST = 1000;

    private static final ConcurrentMap<String, String> KNOWN = new ConcurrentHashMap<>();

    private StaticNames() {}

    /** What stands before that place in the name of a lock. */
    static String of(String lockName, int end) {
        String name = lockName.substring(0, end);
        String known = KNOWN.get(name);
        if (known == null) {
            known = KNOWN.size() < MOST ? KNOWN.computeIfAbsent(name, unused -> name) : name;
        }
        return known;
    }
}
