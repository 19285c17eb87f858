package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.key.Expressions;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Reads annotations into specifications and rejects invalid attributes. The properties of a lock's name replace
 * attributes. Contradictions between an attribute and a property are reported as errors of the property, because it can
 * be changed without a release. Thread-safe.
 *
 * <p>A name is derived from class and method if the annotation has none; a name that two methods derive is rejected:
 * the methods would share a lock by accident, and a job would be skipped because another job runs. A name for both
 * locks and semaphores is rejected, too: the store rejects the second use of a name that is held in the other way,
 * which would depend on what runs at the same time.
 */
final class LockSpecReader {

    /** Text in braces, which other libraries replace by a value. */
    private static final Pattern BRACES = Pattern.compile("\\{[^{}]*}");

    private static final String AT_LEAST = "Use at least 1 ms and at most ten years, or -1 ";

    private final Supplier<@Nullable ConfigurableBeanFactory> beanFactory;

    private final Expressions expressions;

    private final SettingsByName settings;

    private final Map<String, LockSite> derivedBy = new ConcurrentHashMap<>();

    private final Map<String, LockSite> usedBy = new ConcurrentHashMap<>();

    /**
     * Creates the reader.
     *
     * @param beanFactory resolves placeholders and bean references; supplies null if there is none, as at build time
     * @param settings settings by name, which override attributes
     */
    LockSpecReader(Supplier<@Nullable ConfigurableBeanFactory> beanFactory, SettingsByName settings) {
        this.beanFactory = beanFactory;
        this.expressions = new Expressions(beanFactory);
        this.settings = settings;
    }

    /** Reads one annotation of a method. */
    LockSpec read(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation);
        LockRequest named = named(site, annotation);
        NamedSettings found = this.settings.find(named.name());
        NamedSettings own = found != null ? found : NamedSettings.of(named.name());
        LockRequest request = own.override(new Attributes(site, annotation).applyTo(named));
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
                NotGrantedAction.of(site, annotation, this.beanFactory));
    }

    /** Checks a derived name, which needs no placeholders and so can be checked at build time. */
    void checkDerivedName(LockSite method, MergedAnnotation<?> annotation) {
        LockSite site = method.of(annotation);
        String derived = derived(site, annotation);
        if (derived != null) {
            checkUse(site, derived);
        }
    }

    private static void requireLeaseFor(LockRequest request, LockSite site, NamedSettings own) {
        if (!NamedSettings.isLonger(request.minHold(), request.lease())) {
            return;
        }
        NamedValue<Duration> property = own.minHold() != null ? own.minHold() : own.lease();
        if (property == null) {
            throw site.rejection(
                    "minHold is longer than the lease, which is never renewed",
                    "Make the lease at least as long, or remove the lease.");
        }
        throw new InvalidLockSettingException(
                property.property(),
                property.value(),
                "must not exceed the lease of " + site.annotationName() + " on " + site
                        + ", nor be a fixed lease that is shorter than its minHold: a fixed lease is never renewed",
                "Change the property, or set distributed-lock." + NamedSettings.property(own.name(), "lease")
                        + " to -1: the lease is then renewed.");
    }

    private static RuntimeException noThread(LockSite site, @Nullable NamedValue<OnLost> property) {
        if (property != null) {
            return new InvalidLockSettingException(
                    property.property(),
                    "interrupt",
                    "must be throw or ignore, because the work of " + site + " under " + site.annotationName()
                            + " has no thread of its own to interrupt",
                    "Set the property to throw, or observe LeaseContext.required().lost() in the method.");
        }
        return site.rejection(
                "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                "Set onLost = THROW, or observe LeaseContext.required().lost() in the method.");
    }

    // ---- Names

    /** Returns a request with the name of an annotation, and reserves the name. */
    private LockRequest named(LockSite site, MergedAnnotation<?> annotation) {
        String derived = derived(site, annotation);
        String name = derived != null ? derived : given(site, annotation);
        LockRequest named;
        try {
            named = LockRequest.of(name, "").withMethod(site.method());
        } catch (IllegalArgumentException ex) {
            throw site.rejection(
                    "name = \"" + annotation.getString("name") + "\" cannot name a lock",
                    String.valueOf(ex.getMessage()),
                    ex);
        }
        checkUse(site, name);
        return named;
    }

    /** Returns the derived name, or {@code null} if a name is set. */
    private @Nullable String derived(LockSite site, MergedAnnotation<?> annotation) {
        if (!annotation.getString("name").isEmpty()) {
            return null;
        }
        String name = site.defaultLockName();
        LockSite owner = this.derivedBy.putIfAbsent(name, site);
        if (owner == null || owner.isSameMethodAs(site)) {
            return name;
        }
        throw site.rejection(
                "the annotation has no name, and the derived name '" + name + "' is already that of " + owner
                        + ", so that both methods would share one lock",
                "Set a different name for each of the methods, @"
                        + site.written().getSimpleName()
                        + "(name = \"…\"), or the same name if they must exclude each other. An annotation of a class applies to each of its public methods.");
    }

    private String given(LockSite site, MergedAnnotation<?> annotation) {
        String text = annotation.getString("name");
        // A name is not evaluated: with an expression in it, all calls would share one lock without notice.
        if (Expressions.isIn(site, "name", text, annotation.getSource())) {
            throw site.rejection(
                    "name = \"" + text + "\" is not evaluated, so that all calls would share one lock",
                    "Expressions belong in key: name = \"order\", key = \"#id\" locks order:42 for an id of 42.");
        }
        String name = resolve(site, "name", text);
        if (BRACES.matcher(name).find()) {
            throw site.rejection(
                    "name = \"" + text
                            + "\" contains braces, which are not evaluated, so that all calls would share one lock",
                    "Move the expression to key: name = \"order\", key = \"#id\" locks order:42 for an id of 42. Remove the"
                            + " braces if they are meant for Redis Cluster: each lock is one key, in one slot.");
        }
        if (!StringUtils.hasText(name)) {
            throw site.rejection(
                    "name = \"" + text + "\" is blank",
                    "Set a name, or remove the attribute to use " + site.defaultLockName() + ".");
        }
        return name;
    }

    private void checkUse(LockSite site, String name) {
        LockSite owner = this.usedBy.putIfAbsent(name, site);
        if (owner != null && owner.annotation() != site.annotation()) {
            String where = owner.isSameMethodAs(site) ? "the same method" : owner.toString();
            throw site.rejection(
                    "the name '" + name + "' is used for a " + kind(site) + ", but for a " + kind(owner) + " by "
                            + owner.annotationName() + " on " + where,
                    "Set different names: one name cannot be both a lock and a semaphore.");
        }
    }

    private static String kind(LockSite site) {
        return site.annotation() == DistributedSemaphore.class ? "semaphore" : "lock";
    }

    // ---- Attributes

    /** A text without placeholders, and as messages show it. */
    private record Text(String resolved, String shown) {}

    /** Returns the attribute's text without placeholders, trimmed. */
    private String resolve(LockSite site, String attribute, String text) {
        ConfigurableBeanFactory beans = this.beanFactory.get();
        String resolved;
        try {
            resolved = beans != null ? beans.resolveEmbeddedValue(text) : text;
        } catch (IllegalArgumentException ex) {
            throw unresolved(site, attribute, text, ex);
        }
        // Without a strict resolver, Spring retains the placeholder, which would become part of the name.
        if (resolved != null && resolved.contains("${")) {
            throw unresolved(site, attribute, text, null);
        }
        return resolved != null ? resolved.trim() : "";
    }

    private static RuntimeException unresolved(
            LockSite site, String attribute, String text, @Nullable Throwable cause) {
        return site.rejection(
                attribute + " = \"" + text + "\" has a placeholder that cannot be resolved",
                "Set the property, or give the placeholder a default: ${property:default}.",
                cause);
    }

    /**
     * Reads the attributes of one annotation into a request. An attribute that is a number has a twin for a text with
     * placeholders, such as {@code waitTimeString}.
     */
    private final class Attributes {

        private final LockSite site;

        private final MergedAnnotation<?> annotation;

        Attributes(LockSite site, MergedAnnotation<?> annotation) {
            this.site = site;
            this.annotation = annotation;
        }

        /** Returns the request with the attributes that are set. */
        LockRequest applyTo(LockRequest named) {
            LockRequest request = withMaxWaiters(withMode(named))
                    .withOnLost(this.annotation.getEnum("onLost", OnLost.class))
                    .withOnNotGranted(this.annotation.getEnum("onNotGranted", OnNotGranted.class))
                    .withReleaseAfterTransaction(this.annotation.getBoolean("releaseAfterTransaction"));
            request = withTime(
                    request,
                    "waitTime",
                    DistributedLock.DEFAULT,
                    LockRequest::withWaitTime,
                    "Use 0 (try once), a time of at most ten years, or -1 (no limit).");
            request = withTime(request, "lease", -1, LockRequest::withLease, AT_LEAST + "(renewed).");
            request = withTime(
                    request, "maxHold", DistributedLock.DEFAULT, LockRequest::withMaxHold, AT_LEAST + "(no limit).");
            return withTime(
                    request,
                    "minHold",
                    0,
                    LockRequest::withMinHold,
                    "Use at most ten years, or 0 (released when the method returns).");
        }

        private LockRequest withMode(LockRequest request) {
            if (this.site.annotation() == DistributedSemaphore.class) {
                return withPermits(request);
            }
            LockMode mode = this.annotation.getEnum("mode", LockMode.class);
            if (mode == LockMode.PERMIT) {
                throw this.site.rejection(
                        "mode = PERMIT has no number of permits",
                        "Use @DistributedSemaphore, which has the attributes permits and weight.");
            }
            return request.withMode(mode);
        }

        private LockRequest withMaxWaiters(LockRequest request) {
            int maxWaiters = this.annotation.getInt("maxWaiters");
            if (maxWaiters < 0 && maxWaiters != DistributedLock.DEFAULT_MAX_WAITERS) {
                throw this.site.rejection(
                        "maxWaiters = " + maxWaiters + " is negative",
                        "Set maxWaiters to the number of callers of one instance that may wait, or to 0 to refuse each"
                                + " caller that would have to wait.");
            }
            return maxWaiters < 0 ? request : request.withMaxWaiters(maxWaiters);
        }

        private LockRequest withPermits(LockRequest request) {
            int permits = this.annotation.getInt("permits");
            int weight = this.annotation.getInt("weight");
            Text text = text("permits", permits != 0);
            try {
                return request.withPermits(weight, text != null ? Integer.parseInt(text.resolved) : permits);
            } catch (IllegalArgumentException ex) {
                throw this.site.rejection(
                        (text != null ? text.shown : "permits = " + permits) + " with weight = " + weight
                                + " is out of range",
                        "Set permits, or permitsString with a placeholder such as ${exports.permits}, to the number of"
                                + " permits that all holders in all JVMs may have together, from 1 to 999999999, and"
                                + " weight to at least 1 and at most that number.",
                        ex);
            }
        }

        private LockRequest withTime(
                LockRequest request,
                String attribute,
                long unset,
                BiFunction<LockRequest, Duration, LockRequest> with,
                String remedy) {
            long number = this.annotation.getLong(attribute);
            TimeUnit unit = this.annotation.getEnum("timeUnit", TimeUnit.class);
            Text text = text(attribute, number != unset);
            if (text != null ? text.resolved.isEmpty() : number == unset) {
                return request;
            }
            String time = text != null ? text.resolved : Long.toString(number);
            String problem = " is not a duration";
            try {
                Duration parsed = time.equals("-1") ? LockRequest.FOREVER : parse(time, unit);
                problem = " is out of range";
                if (text == null && number < -1) {
                    throw new IllegalArgumentException("The number is negative.");
                }
                return with.apply(request, parsed);
            } catch (IllegalArgumentException | ArithmeticException ex) {
                throw this.site.rejection(
                        (text != null ? text.shown : attribute + " = " + time + " with timeUnit = " + unit) + problem,
                        remedy + " A text is a duration such as 30s, PT30S, or a number in timeUnit.",
                        ex);
            }
        }

        private static Duration parse(String text, TimeUnit unit) {
            return DurationFormatterUtils.detectAndParse(text, DurationFormat.Unit.fromChronoUnit(unit.toChronoUnit()));
        }

        /** Returns the text of an attribute's twin, or {@code null} if it is not set. */
        private @Nullable Text text(String attribute, boolean numberIsSet) {
            String twin = attribute + "String";
            String text = this.annotation.getString(twin);
            if (text.isEmpty()) {
                return null;
            }
            if (numberIsSet) {
                throw this.site.rejection(
                        attribute + " and " + twin + " are both set",
                        "Remove " + attribute + " or " + twin + ", which set the same value.");
            }
            String resolved = resolve(this.site, twin, text);
            String shown =
                    twin + " = \"" + text + '"' + (resolved.equals(text) ? "" : ", which is \"" + resolved + "\",");
            return new Text(resolved, shown);
        }
    }
}
