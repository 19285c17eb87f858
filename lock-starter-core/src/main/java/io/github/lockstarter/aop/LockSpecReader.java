package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.key.Expressions;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Reads annotations into specifications and rejects invalid attributes. The properties of a lock's name replace attributes.
 * Contradictions between an attribute and a property are reported as those of the property: it can be changed without a
 * release. Thread-safe.
 */
final class LockSpecReader {

    private static final LockLog logger = LockLog.of(LockSpecReader.class);

    private final Placeholders placeholders;

    private final Expressions expressions;

    private final Supplier<SettingsByName> settings;

    private final LockNames names;

    private final Set<String> replacedWaitTimes = ConcurrentHashMap.newKeySet();

    LockSpecReader(Placeholders placeholders, Expressions expressions, Supplier<SettingsByName> settings) {
        this.placeholders = placeholders;
        this.expressions = expressions;
        this.settings = settings;
        this.names = new LockNames(placeholders);
    }

    /** Reads one annotation of a method. */
    LockSpec read(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation.getType());
        String name = this.names.of(site, annotation);
        NamedSettings found = this.settings.get().find(name);
        NamedSettings own = found != null ? found : NamedSettings.of(name);
        LockRequest attributes = new LockAttributes(site, annotation, this.placeholders).request(name);
        LockRequest request = own.override(attributes);
        warnIfWaiting(site, attributes, own);
        if (NamedSettings.isLonger(request.minHold(), request.lease())) {
            throw tooShort(site, request, own);
        }
        if (request.onLost() == OnLost.INTERRUPT && ResultKind.of(site) != ResultKind.DIRECT) {
            throw noThread(site, own);
        }
        String key = annotation.getString("key");
        String condition = annotation.getString("condition");
        Object annotated = annotation.getSource();
        return new LockSpec(
                request,
                condition.isEmpty() ? null : this.expressions.condition(site, condition, annotated),
                key.isEmpty() ? null : this.expressions.key(site, key, annotated),
                notGranted(site, annotation));
    }

    /** Checks the derived name, which can be checked at build time. */
    void checkDerivedName(LockSite method, MergedAnnotation<?> annotation) {
        this.names.checkDerived(method.of(annotation.getType()), annotation);
    }

    /** A method with one attempt may rely on it: it would now wait, and run after the call before it. */
    private void warnIfWaiting(LockSite site, LockRequest attributes, NamedSettings own) {
        if (own.waitTime() != null
                && !own.waitTime().value().isZero()
                && Duration.ZERO.equals(attributes.waitTime())
                && this.replacedWaitTimes.add(attributes.name() + ' ' + site)) {
            logger.warn("The property distributed-lock." + own.waitTime().property() + " replaces waitTime = 0 of "
                    + site.annotationName() + " on " + site
                    + ": calls wait for the lock, where the method makes one attempt. Remove the property if that is not"
                    + " intended.");
        }
    }

    private static RuntimeException tooShort(LockSite site, LockRequest request, NamedSettings own) {
        String annotation = site.annotationName() + " on " + site;
        if (own.minHold() != null) {
            return new InvalidLockSettingException(
                    own.minHold().property(),
                    own.minHold().value(),
                    "must not exceed the lease of " + annotation + ", which is " + textOf(request.lease())
                            + " and never renewed",
                    "Set distributed-lock." + NamedSettings.property(own.name(), "lease")
                            + " to a time that is at least as long, or to -1: it is then renewed.");
        }
        if (own.lease() != null) {
            return new InvalidLockSettingException(
                    own.lease().property(),
                    own.lease().value(),
                    "must not be shorter than minHold = " + textOf(request.minHold()) + " of " + annotation
                            + ", because a fixed lease is never renewed",
                    "Set a longer time, or -1 for a renewed lease, or set distributed-lock."
                            + NamedSettings.property(own.name(), "min-hold") + '.');
        }
        return site.rejection(
                "minHold is longer than the lease, which is never renewed",
                "Make the lease at least as long, or remove it.");
    }

    private static String textOf(@Nullable Duration time) {
        return time != null ? DurationText.of(time) : "-1";
    }

    private static RuntimeException noThread(LockSite site, NamedSettings own) {
        if (own.onLost() != null) {
            return new InvalidLockSettingException(
                    own.onLost().property(),
                    "interrupt",
                    "must be throw or ignore, because the work of " + site + " under " + site.annotationName()
                            + " has no thread of its own to interrupt",
                    "Set throw, or observe LeaseContext.required().lost() in the method.");
        }
        return site.rejection(
                "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                "Use THROW, or observe LeaseContext.required().lost() in the method.");
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
        return skip ? NotGrantedAction.skip(site) : null;
    }
}
