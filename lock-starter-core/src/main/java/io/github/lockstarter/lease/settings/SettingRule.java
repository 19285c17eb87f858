package io.github.lockstarter.lease.settings;

import io.github.lockstarter.InvalidLockSettingException;
import org.jspecify.annotations.Nullable;

/** Checks a setting and reports it under the name of its property. */
final class SettingRule {

    private SettingRule() {}

    /**
     * Throws unless the setting is valid.
     *
     * @param property name below {@code distributed-lock}
     * @param rule continues the sentence "the value …"
     * @param otherwise the default
     */
    static void require(boolean valid, String property, @Nullable Object value, String rule, String otherwise) {
        if (!valid) {
            throw new InvalidLockSettingException(
                    property, value, rule, "Set it accordingly, or leave it out; the default is " + otherwise + ".");
        }
    }
}
