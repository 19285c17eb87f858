package io.github.lockstarter.aop;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Resolves <code>${placeholders}</code> in attributes and rejects those that cannot be resolved. */
final class Placeholders {

    private final Supplier<@Nullable ConfigurableBeanFactory> beanFactory;

    Placeholders(Supplier<@Nullable ConfigurableBeanFactory> beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Returns the attribute's text without placeholders, trimmed. */
    String resolve(LockSite site, String attribute, String text) {
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
}
