package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Thrown at start-up when a property has an invalid value, by itself or together with another property. */
public class InvalidLockSettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final String PREFIX = "distributed-lock.";

    private final String property;

    private final String rule;

    private final String remedy;

    private final LinkedHashMap<String, String> involved = new LinkedHashMap<>();

    /**
     * Creates the exception.
     *
     * @param property name of the property without the prefix {@code distributed-lock.}
     * @param value its value; may be null
     * @param rule what the value must be, as the end of a sentence that begins with the property
     * @param remedy what to do, a complete sentence
     */
    public InvalidLockSettingException(String property, @Nullable Object value, String rule, String remedy) {
        super(Printable.of(PREFIX + property + ' ' + rule + ", but is " + text(value) + ". " + remedy));
        this.property = PREFIX + property;
        this.rule = rule;
        this.remedy = remedy;
        with(property, value);
    }

    /**
     * Adds another property that takes part in the problem.
     *
     * @param other name of the property without the prefix {@code distributed-lock.}
     * @param value its value; may be null
     * @return this exception
     */
    public final InvalidLockSettingException with(String other, @Nullable Object value) {
        this.involved.put(PREFIX + other, text(value));
        return this;
    }

    /** Returns the name of the property with its prefix. */
    public String property() {
        return this.property;
    }

    /** Returns what the value must be, as the end of a sentence that begins with the property. */
    public String rule() {
        return this.rule;
    }

    /** Returns what to do, a complete sentence. */
    public String remedy() {
        return this.remedy;
    }

    /**
     * Returns the names and values of all properties that take part in the problem, {@link #property()} first.
     * Unmodifiable.
     */
    public Map<String, String> involved() {
        return Collections.unmodifiableMap(this.involved);
    }

    private static String text(@Nullable Object value) {
        return value instanceof Duration time ? Printable.duration(time) : Printable.of("'" + value + "'");
    }
}
