package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.text.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The times of one annotation and its reaction to a loss, each replaced by the property of its name if that is set.
 * Contradictions between an attribute and a property are reported as those of the property: it can be changed without a
 * release.
 */
record SpecValues(
        @Nullable Duration waitTime,
        @Nullable Duration lease,
        @Nullable Duration maxHold,
        Duration minHold,
        OnLost onLost) {

    static SpecValues of(LockSite site, TimeAttributes times, OnLost onLost, NamedSettings own) {
        SpecValues values = new SpecValues(
                valueOf(own.waitTime(), times.waitTime()),
                valueOf(own.lease(), times.lease()),
                valueOf(own.maxHold(), times.maxHold()),
                own.minHold() != null ? own.minHold().value() : times.minHold(),
                own.onLost() != null ? own.onLost().value() : onLost);
        if (NamedSettings.isLonger(values.minHold, values.lease)) {
            throw tooShort(site, values, own);
        }
        if (values.onLost == OnLost.INTERRUPT && ResultKind.of(site) != ResultKind.DIRECT) {
            throw noThread(site, own.onLost());
        }
        return values;
    }

    private static @Nullable Duration valueOf(@Nullable NamedValue<Duration> own, @Nullable Duration attribute) {
        return own != null ? own.value() : attribute;
    }

    private static RuntimeException tooShort(LockSite site, SpecValues values, NamedSettings own) {
        String annotation = site.annotationName() + " on " + site;
        if (own.minHold() != null) {
            return new InvalidLockSettingException(
                    own.minHold().property(),
                    own.minHold().value(),
                    "must not exceed the lease of " + annotation + ", which is " + textOf(values.lease)
                            + " and never renewed",
                    "Set distributed-lock." + NamedSettings.property(own.name(), "lease")
                            + " to a time that is at least as long, or to -1: it is then renewed.");
        }
        if (own.lease() != null) {
            return new InvalidLockSettingException(
                    own.lease().property(),
                    own.lease().value(),
                    "must not be shorter than minHold = " + textOf(values.minHold) + " of " + annotation
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
