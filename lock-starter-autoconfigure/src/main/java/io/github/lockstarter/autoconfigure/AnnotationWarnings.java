package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.key.DeferredTypes;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.core.env.Environment;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;

/**
 * Warns at start-up about annotations that work, but perhaps not as they are meant: times that may have been meant in
 * seconds, a maximum hold without effect, a minimum hold that is longer than the period of the job, and results whose
 * work may run after the release. Beans that are created later are not checked.
 */
final class AnnotationWarnings implements SmartInitializingSingleton {

    private static final LockLog logger = LockLog.of(AnnotationWarnings.class);

    private static final List<String> TIMES = List.of("waitTime", "lease", "maxHold", "minHold");

    /** Enough to find the shortest distance within a day of most expressions. */
    private static final int MAX_RUNS = 100;

    private final Environment environment;

    private final ObjectProvider<DistributedLockBeanPostProcessor> postProcessors;

    AnnotationWarnings(Environment environment, ObjectProvider<DistributedLockBeanPostProcessor> postProcessors) {
        this.environment = environment;
        this.postProcessors = postProcessors;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> warnings = new TreeSet<>();
        this.postProcessors.stream()
                .flatMap(processor -> processor.annotatedLocks().stream())
                .forEach(lock -> {
                    Method method = lock.request().method();
                    if (method != null) {
                        addUnitless(lock, method, annotationsOf(method), warnings);
                        addTooLong(lock, annotationsOf(method), warnings);
                        addWithoutEffect(lock, warnings);
                        addDeferred(lock, method, warnings);
                    }
                });
        warnings.forEach(logger::warn);
    }

    private static MergedAnnotations annotationsOf(AnnotatedElement element) {
        return MergedAnnotations.from(
                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
    }

    private void addUnitless(AnnotatedLock lock, Method method, MergedAnnotations annotations, Set<String> warnings) {
        MergedAnnotations present = isLocked(annotations) ? annotations : annotationsOf(method.getDeclaringClass());
        Set<String> found = new LinkedHashSet<>();
        Stream.of(DistributedLock.class, DistributedSemaphore.class)
                .flatMap(type -> present.stream(type))
                .filter(annotation -> annotation.getEnum("timeUnit", TimeUnit.class) == TimeUnit.MILLISECONDS)
                .forEach(annotation -> TIMES.forEach(time -> addUnitless(annotation, time, found)));
        if (!found.isEmpty()) {
            warnings.add(lock.method() + ": " + String.join("; ", found) + '.');
        }
    }

    private static boolean isLocked(MergedAnnotations annotations) {
        return annotations.isPresent(DistributedLock.class) || annotations.isPresent(DistributedSemaphore.class);
    }

    private void addUnitless(MergedAnnotation<?> annotation, String time, Set<String> found) {
        String text = annotation.getString(time + "String");
        String number = text.isEmpty() ? Long.toString(annotation.getLong(time)) : resolve(text);
        if (TypedProperty.mayMeanSeconds(number)) {
            found.add(time + " = " + number + " means " + number + " ms; write " + number + "s for seconds, or "
                    + number + "ms" + (text.isEmpty() ? ", as the text " + time + "String" : ""));
        }
    }

    private static void addWithoutEffect(AnnotatedLock lock, Set<String> warnings) {
        Duration lease = lock.request().lease();
        Duration maxHold = lock.request().maxHold();
        if (lease != null && maxHold != null && !lease.isNegative() && !maxHold.isNegative()) {
            warnings.add(
                    lock.method() + ": maxHold has no effect beside a fixed lease, which is never renewed. Remove the"
                            + " lease or maxHold, in the annotation or in the properties distributed-lock.locks.["
                            + lock.request().name() + "].");
        }
    }

    /** A type argument does not reveal when work runs, and the caller of a stream may hold the lock as well. */
    private static void addDeferred(AnnotatedLock lock, Method method, Set<String> warnings) {
        ResolvableType result = ResolvableType.forMethodParameter(new MethodParameter(method, -1));
        Class<?> returned = result.resolve(Object.class);
        Class<?> later = DeferredTypes.isLazy(returned) ? returned : DeferredTypes.within(result, false);
        if (later != null) {
            warnings.add(lock.method() + ": the result is or contains a " + later.getSimpleName()
                    + ", whose work runs WITHOUT the lock if it is used after the method has returned. Return what it"
                    + " supplies, or use it in a method that holds the lock.");
        }
    }

    private void addTooLong(AnnotatedLock lock, MergedAnnotations annotations, Set<String> warnings) {
        Duration minHold = lock.request().minHold();
        if (minHold.isZero() || lock.request().mode() == LockMode.PERMIT) {
            return;
        }
        annotations.stream(Scheduled.class).forEach(scheduled -> {
            Duration period = periodOf(scheduled);
            if (period != null && minHold.compareTo(period) > 0) {
                warnings.add("The minHold of the @Scheduled method " + lock.method() + " is "
                        + Printable.duration(minHold) + ", longer than its period of " + Printable.duration(period)
                        + ": runs in between are skipped. Set a fraction of the period.");
            }
        });
    }

    /** Returns the shortest time between two runs, or {@code null} if it cannot be determined. */
    private @Nullable Duration periodOf(MergedAnnotation<Scheduled> scheduled) {
        TimeUnit unit = scheduled.getEnum("timeUnit", TimeUnit.class);
        try {
            for (String attribute : List.of("fixedRate", "fixedDelay")) {
                String text = resolve(scheduled.getString(attribute + "String"));
                long number = scheduled.getLong(attribute);
                if (number >= 0) {
                    return Duration.of(number, unit.toChronoUnit());
                }
                if (!text.isEmpty()) {
                    return DurationFormatterUtils.detectAndParse(
                            text, DurationFormat.Unit.fromChronoUnit(unit.toChronoUnit()));
                }
            }
            String cron = resolve(scheduled.getString("cron"));
            return cron.isEmpty() || cron.equals(Scheduled.CRON_DISABLED) ? null : periodOf(CronExpression.parse(cron));
        } catch (IllegalArgumentException | DateTimeException ex) {
            // Spring's scheduling rejects what it cannot read either.
            return null;
        }
    }

    private static @Nullable Duration periodOf(CronExpression cron) {
        Duration shortest = null;
        LocalDateTime run = cron.next(LocalDateTime.of(2026, 1, 1, 0, 0));
        for (int i = 0; run != null && i < MAX_RUNS; i++) {
            LocalDateTime next = cron.next(run);
            Duration distance = next != null ? Duration.between(run, next) : null;
            shortest = distance != null && (shortest == null || distance.compareTo(shortest) < 0) ? distance : shortest;
            run = next;
        }
        return shortest;
    }

    private String resolve(String text) {
        return this.environment.resolvePlaceholders(text).strip();
    }
}
