package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.aop.key.ConditionExpression;
import io.github.lockstarter.aop.key.ExpressionContext;
import io.github.lockstarter.aop.key.ExpressionTemplates;
import io.github.lockstarter.aop.key.ExpressionVariables;
import io.github.lockstarter.aop.key.KeyExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/** Turns annotations into specs, and refuses those that do not make sense. */
public final class LockSpecReader {

    private final Placeholders placeholders;

    private final ExpressionContext keyContext;

    private final DerivedNames derivedNames = new DerivedNames();

    public LockSpecReader(Placeholders placeholders, ExpressionContext keyContext) {
        this.placeholders = placeholders;
        this.keyContext = keyContext;
    }

    public LockSpec read(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String name = name(site, annotation);
        TimeAttributes times = new TimeAttributes(site, annotation, this.placeholders);
        return new LockSpec(
                name,
                condition(site, annotation),
                key(site, annotation),
                times.waitTime(),
                times.lease(),
                times.maxHold(),
                minHold(site, times),
                onLost(site, annotation),
                notGranted(site, annotation),
                annotation.getBoolean("releaseAfterTransaction"));
    }

    private static OnLost onLost(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        OnLost onLost = annotation.getEnum("onLost", OnLost.class);
        if (onLost == OnLost.INTERRUPT && ResultKind.of(site) != ResultKind.DIRECT) {
            throw site.refused(
                    "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                    "Use THROW, and Lease.lost() of LeaseContext.required() to hear of the loss.");
        }
        return onLost;
    }

    private static @Nullable NotGranted notGranted(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String fallback = annotation.getString("fallback");
        boolean skip = annotation.getEnum("onNotGranted", OnNotGranted.class) == OnNotGranted.SKIP;
        if (skip && !fallback.isEmpty()) {
            throw site.refused(
                    "onNotGranted = SKIP and fallback = \"" + fallback + "\" contradict each other",
                    "Leave one of them out.");
        }
        if (!fallback.isEmpty()) {
            return FallbackMethod.find(site, fallback);
        }
        return skip ? EmptyResult.of(site) : null;
    }

    private String name(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String derived = derivedName(site, annotation);
        String name = derived != null ? derived : givenName(site, annotation);
        try {
            return LockRequest.of(name, "").name();
        } catch (IllegalArgumentException ex) {
            throw site.refused(
                    "name = \"" + annotation.getString("name") + "\" cannot name a lock",
                    String.valueOf(ex.getMessage()),
                    ex);
        }
    }

    /** Needs no placeholders, and so can be checked at build time; null: the annotation has a name. */
    @Nullable
    public String derivedName(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        return annotation.getString("name").isEmpty()
                ? this.derivedNames.claim(site, annotation.getSource() instanceof Class<?>)
                : null;
    }

    private String givenName(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String text = annotation.getString("name");
        refuseExpression(site, text, ExpressionVariables.of(site.method(), annotation.getSource()));
        String name = this.placeholders.resolve(site, "name", text);
        if (!StringUtils.hasText(name)) {
            throw site.refused(
                    "name = \"" + text + "\" is blank",
                    "Give the lock a name, or leave the attribute out to use " + site.defaultLockName() + ".");
        }
        return name;
    }

    /** It would be the name of one lock for all calls, and nobody would notice but by the waiting. */
    private static void refuseExpression(LockSite site, String text, ExpressionVariables variables) {
        if (ExpressionTemplates.isOne(text, variables)) {
            throw site.refused(
                    "name = \"" + text + "\" is taken as it stands, and all calls would share one lock",
                    "Expressions belong into key: name = \"order\", key = \"#id\" locks order:42 for an id of 42.");
        }
    }

    private @Nullable KeyExpression key(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String key = annotation.getString("key");
        return key.isEmpty() ? null : KeyExpression.parse(site, key, annotation.getSource(), this.keyContext);
    }

    private @Nullable ConditionExpression condition(LockSite site, MergedAnnotation<DistributedLock> annotation) {
        String condition = annotation.getString("condition");
        return condition.isEmpty()
                ? null
                : ConditionExpression.parse(site, condition, annotation.getSource(), this.keyContext);
    }

    private static Duration minHold(LockSite site, TimeAttributes times) {
        Duration minHold = times.minHold();
        Duration lease = times.lease();
        if (lease != null && !LockRequest.FOREVER.equals(lease) && minHold.compareTo(lease) > 0) {
            throw site.refused(
                    "minHold is longer than the lease, which is never renewed",
                    "Make the lease at least as long, or leave it out.");
        }
        return minHold;
    }
}
