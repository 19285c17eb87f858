package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.CollectionUtils;

/**
 * A method that must not run without the advice of its annotation: with locks, or restricted by an extension. Internal:
 * not part of the API.
 *
 * <p>Rejects methods that would run without the advice because of how the container handles their beans: callbacks of
 * their lifecycle are called on the bean itself and not through the proxy, a {@code @Bean} method runs only once, and a
 * bean that another post-processor needs is created before this library's, which Spring only logs.
 */
public abstract class GuardedMethod {

    /** The types are compared by name, because they are optional dependencies. */
    private static final Set<String> CALLBACKS =
            Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    public final LockSite site;

    /** Whether only the class carries annotations and not the method. */
    public final boolean classLevel;

    /** When the work of the method is complete. */
    public final ResultKind resultKind;

    protected GuardedMethod(LockSite site, boolean classLevel) {
        this.site = site;
        this.classLevel = classLevel;
        this.resultKind = ResultKind.of(site);
    }

    /** Rejects a method to whose result the advice cannot be applied. */
    protected abstract void checkResult();

    /** Checks what is known at build time (AOT), when placeholders have no values. */
    protected void checkAtBuildTime() {}

    /** Returns what to do without a proxy, as the end of a remedy. */
    protected abstract String alternative();

    /** Returns where the work of a callback belongs, as a part of a remedy. */
    protected abstract String placeOfCallbacks();

    /** Returns the end of a remedy: the alternative for a method that only an annotation of the class covers. */
    String otherwise() {
        return this.classLevel ? ", or annotate the other methods instead of the class." : ".";
    }

    /** Rejects the method of a bean that exists although the post-processor has not received it. */
    void checkCreation(ConfigurableListableBeanFactory beans, String beanName) {
        String[] dependents = beans.getDependentBeans(beanName);
        String reason = dependents.length > 0 ? ", needed by " + String.join(", ", dependents) : "";
        if (wasCreated(beans, beanName)) {
            throw this.site.rejection(
                    "the bean '" + beanName + "' was created too early for its annotation to take effect" + reason,
                    "Inject the bean as ObjectProvider or @Lazy into the BeanPostProcessor or BeanFactoryPostProcessor"
                            + " that depends on it, possibly through other beans, and declare @Bean methods of such"
                            + " processors static.");
        }
    }

    /**
     * Returns false for an object that was registered in place of the bean, such as a mock. Only a field of the bean
     * definition reveals that; if it cannot be read, the bean counts as registered.
     */
    private static boolean wasCreated(ConfigurableListableBeanFactory beans, String beanName) {
        DirectFieldAccessor fields = new DirectFieldAccessor(beans.getMergedBeanDefinition(beanName));
        return fields.isReadableProperty("postProcessed")
                && Boolean.TRUE.equals(fields.getPropertyValue("postProcessed"));
    }

    /** Checks the annotations and the interface of the method. */
    void checkCallback() {
        if (AnnotatedElementUtils.hasAnnotation(this.site.method(), Bean.class)) {
            throw this.site.rejection(
                    "a @Bean method runs only once, and its annotation does not apply to the methods of the bean",
                    "Annotate the methods in the class of the bean, or " + alternative() + ".");
        }
        MergedAnnotations annotations = MergedAnnotations.from(this.site.method());
        if (!this.classLevel
                && (CALLBACKS.stream().anyMatch(annotations::isPresent)
                        || is(InitializingBean.class, "afterPropertiesSet")
                        || is(DisposableBean.class, "destroy"))) {
            throw callback();
        }
    }

    private boolean is(Class<?> type, String name) {
        return type.isAssignableFrom(this.site.beanClass()) && isNamed(Set.of(name));
    }

    private boolean isNamed(Set<String> names) {
        return names.contains(this.site.method().getName())
                && this.site.method().getParameterCount() == 0;
    }

    /**
     * Checks whether the bean definition declares the method as a callback. An inferred one may also be called by
     * others.
     */
    void checkDeclaredCallback(ConfigurableListableBeanFactory beans, String beanName) {
        Set<String> names = new HashSet<>();
        // The definition of a factory bean does not describe its product.
        if (beans.containsBeanDefinition(beanName)
                && !beans.isFactoryBean(beanName)
                && beans.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition) {
            // Definitions that were generated at build time (AOT) include annotated callbacks.
            CollectionUtils.mergeArrayIntoCollection(definition.getInitMethodNames(), names);
            CollectionUtils.mergeArrayIntoCollection(definition.getDestroyMethodNames(), names);
        }
        if (!this.classLevel && isNamed(names)) {
            throw callback();
        }
    }

    /**
     * Rejects a class whose methods cannot be inspected, if its class file has one of the annotations on a method: the
     * method would run without its advice.
     */
    protected static void rejectIfAnnotated(
            Class<?> type, Throwable failure, Collection<Class<? extends Annotation>> annotations) {
        try {
            AnnotationMetadata read = new SimpleMetadataReaderFactory(type.getClassLoader())
                    .getMetadataReader(type.getName())
                    .getAnnotationMetadata();
            for (Class<? extends Annotation> each : annotations) {
                if (read.hasAnnotatedMethods(each.getName())) {
                    throw new InvalidLockDefinitionException(
                            '@' + each.getSimpleName() + " on a method of " + type.getName()
                                    + " cannot take effect: a class to which its methods refer is missing: " + failure
                                    + '.',
                            "Add the missing class, or move annotated methods to a class without it.",
                            failure);
                }
            }
        } catch (IOException ex) {
            // A generated class has no file, and no annotation of its own.
        }
    }

    private InvalidLockDefinitionException callback() {
        return this.site.rejection(
                "Spring calls this method on the bean itself and not through its proxy, so that its annotation would"
                        + " have no effect",
                "Move the work to " + placeOfCallbacks() + ", or " + alternative() + ".");
    }
}
