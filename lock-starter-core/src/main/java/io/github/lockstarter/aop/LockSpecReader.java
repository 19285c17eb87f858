package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/** Turns annotations into specs, and refuses those that do not make sense. */
final class LockSpecReader {

    private final Placeholders placeholders;

    private final KeyContext keyContext;

    LockSpecReader(Placeholders placeholders, KeyContext keyContext) {
        this.placeholders = placeholders;
        this.keyContext = keyContext;
    }

    LockSpec read(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        refuseUnsupported(site, annotation);
        String name = name(site, annotation.getString("name"));
        TimeAttributes times = new TimeAttributes(site, annotation, this.placeholders);
        return new LockSpec(
                name,
                key(site, annotation),
                times.waitTime(),
                times.lease(),
                times.maxHold(),
                annotation.getEnum("onLost", OnLost.class));
    }

    private String name(LockSite site, String text) {
        String name = text.isEmpty() ? site.defaultLockName() : this.placeholders.resolve(site, "name", text);
        if (!StringUtils.hasText(name)) {
            throw site.refused(
                    "name = \"" + text + "\" is blank",
                    "Give the lock a name, or leave the attribute out to use " + site.defaultLockName() + ".");
        }
        try {
            return LockRequest.of(name, "").name();
        } catch (IllegalArgumentException ex) {
            throw site.refused("name = \"" + text + "\" cannot name a lock", String.valueOf(ex.getMessage()), ex);
        }
    }

    private @Nullable KeyExpression key(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String key = annotation.getString("key");
        return key.isEmpty() ? null : KeyExpression.parse(site, key, annotation.getSource(), this.keyContext);
    }

    private static void refuseUnsupported(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        if (annotation.getLong("minHold") != 0) {
            throw unsupported(site, "minHold", "Leave it at 0.");
        }
        if (annotation.getEnum("onNotGranted", OnNotGranted.class) != OnNotGranted.THROW) {
            throw unsupported(site, "onNotGranted", "Leave it at THROW and catch LockNotGrantedException.");
        }
        if (!annotation.getString("fallback").isEmpty()) {
            throw unsupported(site, "fallback", "Leave it out and catch LockNotGrantedException.");
        }
        if (!annotation.getBoolean("releaseAfterTransaction")) {
            throw unsupported(site, "releaseAfterTransaction = false", "Leave it out.");
        }
    }

    private static RuntimeException unsupported(LockSite site, String attribute, String remedy) {
        return site.refused(attribute + " is not supported by this version", remedy);
    }
}
