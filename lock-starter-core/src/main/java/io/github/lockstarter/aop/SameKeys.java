package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Warns of methods of one class with the same key and no name: each has a lock of its own, although they look as if they
 * excluded each other.
 */
final class SameKeys {

    private static final LockLog logger = LockLog.of(DistributedLockBeanPostProcessor.class);

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    void check(List<LockedMethod> methodsOfOneBean) {
        Map<String, Set<String>> methodsByKey = new TreeMap<>();
        for (LockedMethod locked : methodsOfOneBean) {
            for (MergedAnnotation<?> annotation : locked.annotations()) {
                String key = annotation.getString("key").strip();
                if (!key.isEmpty() && annotation.getString("name").isEmpty()) {
                    methodsByKey
                            .computeIfAbsent(key, unseen -> new TreeSet<>())
                            .add(locked.site().shortText());
                }
            }
        }
        methodsByKey.forEach(this::warn);
    }

    private void warn(String key, Set<String> methods) {
        String all = String.join(", ", methods);
        if (methods.size() > 1 && this.reported.add(key + ' ' + all)) {
            logger.warn("These methods do not exclude each other, although each has key = \"" + key + "\": " + all
                    + ". Without a name, each method has a lock of its own. If they must exclude each other, give all of"
                    + " them the same name, such as name = \"order\"; if not, give each of them one of its own.");
        }
    }
}
