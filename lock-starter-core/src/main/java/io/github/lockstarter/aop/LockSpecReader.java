package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.key.ConditionExpression;
import io.github.lockstarter.key.Expressions;
import io.github.lockstarter.key.KeyExpression;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/** Reads annotations into specifications and rejects invalid attributes. Thread-safe. */
final class LockSpecReader {

    private static final LockLog logger = LockLog.of(LockSpecReader.class);

    private final Placeholders placeholders;

    private final Expressions expressions;

    private final Supplier<SettingsByName> settings;

    private final DerivedNames derivedNames = new DerivedNames();

    private final NameUses nameUses = new NameUses();

    private final Set<String> replacedWaitTimes = ConcurrentHashMap.newKeySet();

    LockSpecReader(Placeholders placeholders, Expressions expressions, Supplier<SettingsByName> settings) {
        this.placeholders = placeholders;
        this.expressions = expressions;
        this.settings = settings;
    }

    /** Reads one annotation of a method. */
    LockSpec read(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation.getType());
        String name = name(site, annotation);
        this.nameUses.claim(site, name);
        NamedSettings own = this.settings.get().find(name);
        TimeAttributes times = new TimeAttributes(site, annotation, this.placeholders);
        if (own != null) {
            warnIfReplaced(site, name, times, own);
        }
        SpecValues values = SpecValues.of(
                site, times, annotation.getEnum("onLost", OnLost.class), own != null ? own : NamedSettings.of(name));
        return new LockSpec(
                name,
                use(site, annotation),
                condition(site, annotation),
                key(site, annotation),
                values.waitTime(),
                values.lease(),
                values.maxHold(),
                values.minHold(),
                values.onLost(),
                notGranted(site, annotation),
                annotation.getBoolean("releaseAfterTransaction"));
    }

    /** A method with one attempt may rely on it: it would now wait, and run after the call before it. */
    private void warnIfReplaced(LockSite site, String name, TimeAttributes times, NamedSettings own) {
        NamedValue<Duration> property = own.waitTime();
        if (property != null
                && !property.value().isZero()
                && Duration.ZERO.equals(times.waitTime())
                && this.replacedWaitTimes.add(name + ' ' + site)) {
            logger.warn("The property distributed-lock." + property.property() + " replaces waitTime = 0 of "
                    + site.annotationName() + " on " + site
                    + ": calls wait for the lock, where the method makes one attempt. Remove the property if that is not"
                    + " intended.");
        }
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
        if (Expressions.isIn(text, site.method(), annotated)) {
            throw site.rejection(
                    "name = \"" + text + "\" is not evaluated, so that all calls would share one lock",
                    "Expressions belong in key: name = \"order\", key = \"#id\" locks order:42 for an id of 42.");
        }
    }

    private @Nullable KeyExpression key(LockSite site, MergedAnnotation<?> annotation) {
        String key = annotation.getString("key");
        return key.isEmpty() ? null : this.expressions.key(site, key, annotation.getSource());
    }

    private @Nullable ConditionExpression condition(LockSite site, MergedAnnotation<?> annotation) {
        String condition = annotation.getString("condition");
        return condition.isEmpty()
                ? null
                : this.expressions.condition(site, condition, annotation.getSource());
    }
}
