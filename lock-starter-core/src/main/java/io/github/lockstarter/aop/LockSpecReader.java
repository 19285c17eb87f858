package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.key.Expressions;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Reads annotations into specifications and rejects invalid attributes. The properties of a lock's name replace attributes.
 * Contradictions between an attribute and a property are reported as those of the property: it can be changed without a
 * release. Thread-safe.
 */
final class LockSpecReader {

    private final Placeholders placeholders;

    private final Expressions expressions;

    private final Supplier<SettingsByName> settings;

    private final LockNames names;

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
        LockRequest request = own.override(new LockAttributes(site, annotation, this.placeholders).request(name));
        requireLeaseFor(request, site, own);
        if (request.onLost() == OnLost.INTERRUPT && ResultKind.of(site) != ResultKind.DIRECT) {
            throw noThread(site, own.onLost());
        }
        String key = annotation.getString("key");
        String condition = annotation.getString("condition");
        Object annotated = annotation.getSource();
        return new LockSpec(
                request,
                condition.isEmpty() ? null : this.expressions.condition(site, condition, annotated),
                key.isEmpty() ? null : this.expressions.key(site, key, annotated),
                NotGrantedAction.of(site, annotation));
    }

    /** Checks the derived name, which can be checked at build time. */
    void checkDerivedName(LockSite method, MergedAnnotation<?> annotation) {
        this.names.checkDerived(method.of(annotation.getType()), annotation);
    }

    private static void requireLeaseFor(LockRequest request, LockSite site, NamedSettings own) {
        if (!NamedSettings.isLonger(request.minHold(), request.lease())) {
            return;
        }
        NamedValue<Duration> property = own.minHold() != null ? own.minHold() : own.lease();
        if (property == null) {
            throw site.rejection(
                    "minHold is longer than the lease, which is never renewed",
                    "Make the lease at least as long, or remove it.");
        }
        throw new InvalidLockSettingException(
                property.property(),
                property.value(),
                "must not exceed the lease of " + site.annotationName() + " on " + site
                        + ", nor be a fixed lease that is shorter than its minHold: a fixed lease is never renewed",
                "Change it, or set distributed-lock." + NamedSettings.property(own.name(), "lease")
                        + " to -1: the lease is then renewed.");
    }

    private static RuntimeException noThread(LockSite site, @Nullable NamedValue<OnLost> property) {
        if (property != null) {
            return new InvalidLockSettingException(
                    property.property(),
                    "interrupt",
                    "must be throw or ignore, because the work of " + site + " under " + site.annotationName()
                            + " has no thread of its own to interrupt",
                    "Set throw, or observe LeaseContext.required().lost() in the method.");
        }
        return site.rejection(
                "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                "Use THROW, or observe LeaseContext.required().lost() in the method.");
    }
}
