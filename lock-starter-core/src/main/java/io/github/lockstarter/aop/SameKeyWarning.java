package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Logs a warning for methods of one class that have the same key but no name: they appear to exclude each other or to
 * share permits, but each has its own lock or semaphore.
 */
final class SameKeyWarning {

    private static final LockLog logger = LockLog.of(SameKeyWarning.class);

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    void check(List<LockedMethod> methodsOfBean) {
        Map<String, Set<String>> lockedByKey = new TreeMap<>();
        Map<String, Set<String>> limitedByKey = new TreeMap<>();
        for (LockedMethod locked : methodsOfBean) {
            for (MergedAnnotation<?> annotation : locked.annotations()) {
                String key = annotation.getString("key").strip();
                if (!key.isEmpty() && annotation.getString("name").isEmpty()) {
                    boolean limited = annotation.getType() == DistributedSemaphore.class;
                    (limited ? limitedByKey : lockedByKey)
                            .computeIfAbsent(key, absent -> new TreeSet<>())
                            .add(locked.site().shortText());
                }
            }
        }
        lockedByKey.forEach((key, methods) -> warn(key, methods, "exclude each other", "lock"));
        limitedByKey.forEach((key, methods) -> warn(key, methods, "share permits", "semaphore"));
    }

    private void warn(String key, Set<String> methods, String intention, String kind) {
        String all = String.join(", ", methods);
        if (methods.size() > 1 && this.reported.add(kind + ' ' + key + ' ' + all)) {
            logger.warn("These methods do not " + intention + ", although each has key = \"" + key + "\": " + all
                    + ". Without a name, each method has its own " + kind + ". If they must " + intention
                    + ", set the same name for all of them, such as name = \"order\"; otherwise set a different name for"
                    + " each.");
        }
    }
}
