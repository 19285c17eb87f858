package io.github.lockstarter.aop;

import io.github.lockstarter.key.DeferredTypes;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/** A method that runs under one or more locks. Its annotations are read on first use and only once. Thread-safe. */
final class LockedMethod extends GuardedMethod {

    /** Annotations of the method and then of the class, nearest first. */
    private final List<MergedAnnotations> annotations;

    private final LockSpecReader reader;

    /** Whether a weaver has changed the method. */
    final boolean woven;

    private volatile @Nullable List<LockSpec> specs;

    LockedMethod(LockSite site, List<MergedAnnotations> annotations, boolean classLevel, LockSpecReader reader) {
        super(site, classLevel);
        this.annotations = List.copyOf(annotations);
        this.reader = reader;
        this.woven = isWoven(site.method());
    }

    /**
     * Returns whether an around advice with a join point parameter, such as ours, was woven into the method: its code
     * has then moved to a method of another name, which takes the same parameters and the join point. The byte code
     * does not reveal to which aspect it belongs.
     */
    private static boolean isWoven(Method method) {
        List<Class<?>> parameters = new ArrayList<>();
        if (!Modifier.isStatic(method.getModifiers())) {
            parameters.add(method.getDeclaringClass());
        }
        parameters.addAll(List.of(method.getParameterTypes()));
        String moved = Pattern.quote(method.getName()) + "_aroundBody\\d+";
        return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                .filter(other -> other.isSynthetic() && other.getName().matches(moved))
                .map(other -> Arrays.asList(other.getParameterTypes()))
                .anyMatch(types -> types.size() == parameters.size() + 1
                        && types.subList(0, parameters.size()).equals(parameters)
                        && types.get(parameters.size()).getName().equals("org.aspectj.lang.JoinPoint"));
    }

    /** Returns whether the method has annotations of all types that are among those. */
    boolean hasAllTypesOf(MergedAnnotations others) {
        return LockAnnotations.TYPES.stream()
                .filter(others::isPresent)
                .allMatch(type -> this.annotations.stream().anyMatch(mine -> mine.isPresent(type)));
    }

    /**
     * Returns one specification for each of the nearest annotations of each type; two on the same element are two
     * locks.
     */
    public List<LockSpec> specs() {
        List<LockSpec> known = this.specs;
        if (known == null) {
            // A race of two threads is harmless: both read the same.
            known = annotations().stream()
                    .map(annotation -> this.reader.read(this.site, annotation))
                    .toList();
            rejectRepetition(known);
            this.specs = known;
        }
        return known;
    }

    /** Checks the derived names, which have no placeholders. */
    @Override
    protected void checkAtBuildTime() {
        annotations().forEach(annotation -> this.reader.checkDerivedName(this.site, annotation));
    }

    /** Rejects a method whose work may go on after it has returned, as nothing reports its completion. */
    @Override
    protected void checkResult() {
        String coroutineUse = KotlinFunctions.coroutineUse(this.site);
        List<String> missing = coroutineUse != null ? KotlinFunctions.missingArtifacts() : List.of();
        if (!missing.isEmpty()) {
            String artifacts = String.join(" and ", missing);
            throw this.site.rejection(
                    "the method " + coroutineUse + ", and " + artifacts + " is not on the class path",
                    "Add the dependency " + artifacts + " in the version that Spring Boot manages" + otherwise());
        }
        boolean isWhole = this.resultKind == ResultKind.UNKNOWN;
        Class<?> returned = this.site.returnType();
        Class<?> later = isWhole ? returned : DeferredTypes.within(this.site.result(), true);
        if (later != null) {
            throw this.site.rejection(
                    "the method " + (this.site.isSuspending() ? "is a suspend function that returns a " : "returns a ")
                            + later.getSimpleName() + (isWhole ? "" : " inside a " + returned.getSimpleName())
                            + ", and the lock would end before the work does",
                    (this.site.isSuspending()
                                    ? "Return the result itself, or remove suspend"
                                    : "Return the result itself, a CompletableFuture, a Mono or a Flux"
                                            + (isWhole ? "" : ", which contains nothing that runs later")
                                            + ", or hold a lease of LockRegistry.acquireAsync until the work is done")
                            + otherwise());
        }
    }

    @Override
    protected String alternative() {
        return "call LockRegistry.execute in the method, or weave the lock into it (distributed-lock.mode=aspectj)";
    }

    @Override
    protected String placeOfCallbacks() {
        return "an ApplicationRunner or a listener of ApplicationReadyEvent";
    }

    private void rejectRepetition(List<LockSpec> specs) {
        Set<List<String>> locks = new HashSet<>();
        for (LockSpec spec : specs) {
            if (!locks.add(spec.lock())) {
                throw this.site.rejection(
                        "two annotations request the same lock '" + spec.name() + "'",
                        "Remove one of the two annotations, or set different names, keys or conditions.");
            }
        }
    }

    /**
     * Returns the annotations of each type on the nearest element that has one, with the attributes that composed
     * annotations set: a lock of the method does not replace the semaphore of its class.
     */
    public List<MergedAnnotation<?>> annotations() {
        List<MergedAnnotation<?>> nearest = new ArrayList<>(1);
        LockAnnotations.TYPES.forEach(type -> nearest.addAll(nearest(type)));
        return nearest;
    }

    private <A extends Annotation> List<MergedAnnotation<A>> nearest(Class<A> type) {
        try {
            for (MergedAnnotations candidates : this.annotations) {
                List<MergedAnnotation<A>> all = candidates.stream(type).toList();
                if (!all.isEmpty()) {
                    int nearest = all.get(0).getAggregateIndex();
                    return all.stream()
                            .filter(annotation -> annotation.getAggregateIndex() == nearest)
                            .toList();
                }
            }
            return List.of();
        } catch (AnnotationConfigurationException ex) {
            throw new LockSite(this.site.beanClass(), this.site.method(), type, type)
                    .rejection(
                            "its attributes contradict each other: " + contradiction(String.valueOf(ex.getMessage())),
                            "Set either value or key, and check @AliasFor in composed annotations.",
                            ex);
        }
    }

    /** Returns the problem from Spring's message, without the location that our message contains. */
    private static String contradiction(String message) {
        String attributes = message.substring(message.indexOf("; ") + 1).strip();
        return attributes.endsWith(".") ? attributes.substring(0, attributes.length() - 1) : attributes;
    }
}
