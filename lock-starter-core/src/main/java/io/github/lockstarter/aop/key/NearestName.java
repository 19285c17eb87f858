package io.github.lockstarter.aop.key;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggests an existing name for one that does not exist. */
public final class NearestName {

    private NearestName() {}

    /**
     * Returns the most similar name, also for a record's accessor that was written as a getter; null if none is
     * similar.
     */
    public static @Nullable String of(String name, Collection<String> known) {
        String nearest = nearest(name, known);
        boolean getter = nearest == null && name.startsWith("get") && name.length() > 3;
        return getter ? nearest(name.substring(3), known) : nearest;
    }

    private static @Nullable String nearest(String name, Collection<String> known) {
        String nearest = null;
        int least = Math.max(name.length() < 4 ? 1 : 2, name.length() / 3) + 1;
        for (String candidate : known) {
            int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Returns the number of characters to insert, remove or replace (Levenshtein distance). */
    private static int distance(String one, String other) {
        int[] previous = new int[other.length() + 1];
        for (int j = 0; j < previous.length; j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] current = new int[other.length() + 1];
            current[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = previous[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[other.length()];
    }
}
