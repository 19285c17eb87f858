package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.aop.key.ConditionExpression;
import io.github.lockstarter.aop.key.ExpressionContext;
import io.github.lockstarter.aop.key.ExpressionTemplates;
import io.github.lockstarter.aop.key.KeyExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/** Reads annotations into specifications and rejects invalid attributes. Thread-safe. */
final class LockSpecReader {

    private final Placeholders placeholders;

    private final ExpressionContext expressions;

    private final DerivedNames derivedNames = new DerivedNames();

    private final NameUses nameUses = new NameUses();

    LockSpecReader(Placeholders placeholders, ExpressionContext expressions) {
        this.placeholders = placeholders;
        this.expressions = expressions;
    }

    /** Reads one annotation of a method. */
    LockSpec read(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation.getType());
        String name = name(site, annotation);
        this.nameUses.claim(site, name);
        TimeAttributes times = new TimeAttributes(site, annotation, this.placeholders);
        return new LockSpec(
                name,
                use(site, annotation),
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

    private LockUse use(LockSite site, MergedAnnotation<?> annotation) {
        if (site.annotation() == DistributedSemaphore.class) {
            return new PermitAttributes(site, annotation, this.placeholders).use();
        }
        LockMode mode = annotation.getEnum("mode", LockMode.class);
        if (mode == LockMode.PERMIT) {
            throw site.rejection(
                    "mode = PERMIT has no number of permits",
                    "Use @DistributedSemaphore, which has the attributes permits and weight.");
        }
        return LockUse.of(mode);
    }

    private static OnLost onLost(LockSite site, MergedAnnotation<?> annotation) {
        OnLost onLost = annotation.getEnum("onLost", OnLost.class);
        if (onLost == OnLost.INTERRUPT && ResultKind.of(site) != ResultKind.DIRECT) {
            throw site.rejection(
                    "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                    "Use THROW, or observe LeaseContext.required().lost() in the method.");
        }
        return onLost;
    }

    private static @Nullable NotGrantedAction notGranted(LockSite site, MergedAnnotation<?> annotation) {
        String fallback = annotation.getString("fallback");
        boolean skip = annotation.getEnum("onNotGranted", OnNotGranted.class) == OnNotGranted.SKIP;
        if (skip && !fallback.isEmpty()) {
            throw site.rejection(
                    "onNotGranted = SKIP and fallback = \"" + fallback + "\" contradict each other",
                    "Remove one of them.");
        }
        if (!fallback.isEmpty()) {
            return FallbackMethod.find(site, fallback);
        }
        return skip ? EmptyResult.of(site) : null;
    }

    private String name(LockSite site, MergedAnnotation<?> annotation) {
        String derived = derivedName(site, annotation);
        String name = derived != null ? derived : givenName(site, annotation);
        try {
            return LockRequest.of(name, "").name();
        } catch (IllegalArgumentException ex) {
            throw site.rejection(
                    "name = \"" + annotation.getString("name") + "\" cannot name a lock",
                    String.valueOf(ex.getMessage()),
                    ex);
        }
    }

    /** Checks the derived name, which needs no placeholders and so can be checked at build time. */
    void checkDerivedName(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation.getType());
        String derived = derivedName(site, annotation);
        if (derived != null) {
            this.nameUses.claim(site, derived);
        }
    }

    /** Returns the derived name; null if a name is set. */
    private @Nullable String derivedName(LockSite site, MergedAnnotation<?> annotation) {
        return annotation.getString("name").isEmpty()
                ? this.derivedNames.claim(site, annotation.getSource() instanceof Class<?>)
                : null;
    }

    private String givenName(LockSite site, MergedAnnotation<?> annotation) {
        String text = annotation.getString("name");
        rejectExpression(site, text, annotation.getSource());
        String name = this.placeholders.resolve(site, "name", text);
        if (!StringUtils.hasText(name)) {
            throw site.rejection(
                    "name = \"" + text + "\" is blank",
                    "Set a name, or remove the attribute to use " + site.defaultLockName() + ".");
        }
        return name;
    }

    /** A name is not evaluated: with an expression in it, all calls would share one lock without notice. */
    private static void rejectExpression(LockSite site, String text, @Nullable Object annotated) {
        if (ExpressionTemplates.isTemplate(text, site.method(), annotated)) {
            throw site.rejection(
                    "name = \"" + text + "\" is not evaluated, so that all calls would share one lock",
                    "Expressions belong in key: name = \"order\", key = \"#id\" locks order:42 for an id of 42.");
        }
    }

    private @Nullable KeyExpression key(LockSite site, MergedAnnotation<?> annotation) {
        String key = annotation.getString("key");
        return key.isEmpty() ? null : KeyExpression.parse(site, key, annotation.getSource(), this.expressions);
    }

    private @Nullable ConditionExpression condition(LockSite site, MergedAnnotation<?> annotation) {
        String condition = annotation.getString("condition");
        return condition.isEmpty()
                ? null
                : ConditionExpression.parse(site, condition, annotation.getSource(), this.expressions);
    }

    private static Duration minHold(LockSite site, TimeAttributes times) {
        Duration minHold = times.minHold();
        Duration lease = times.lease();
        if (lease != null && !LockRequest.FOREVER.equals(lease) && minHold.compareTo(lease) > 0) {
            throw site.rejection(
                    "minHold is longer than the lease, which is never renewed",
                    "Make the lease at least as long, or remove it.");
        }
        return minHold;
    }
}
