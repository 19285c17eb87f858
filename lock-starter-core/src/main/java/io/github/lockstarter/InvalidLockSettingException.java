package io.github.lockstarter;

import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A setting that cannot work, by itself or beside another one; it fails the start of the application. */
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
     * @param property the property, without the prefix that all of them have
     * @param value what it is
     * @param rule what it must be; goes on where the name of the property ends
     * @param remedy what to do about it, a whole sentence
     */
    public InvalidLockSettingException(String property, @Nullable Object value, String rule, String remedy) {
        super(Printable.of(PREFIX + property + ' ' + rule + ", but is " + text(value) + ". " + remedy));
        this.property = PREFIX + property;
        this.rule = rule;
        this.remedy = remedy;
        with(property, value);
    }

    /** The same; names another property, without the prefix, that has part in it. */
    public final InvalidLockSettingException with(String other, @Nullable Object value) {
        this.involved.put(PREFIX + other, text(value));
        return this;
    }

    /** The property as users write it, with its prefix. */
    public String property() {
        return this.property;
    }

    /** What it must be; goes on where the name of the property ends. */
    public String rule() {
        return this.rule;
    }

    /** What to do about it, a whole sentence. */
    public String remedy() {
        return this.remedy;
    }

    /** The values of all properties that have part in it, by their names, {@link #property()} first. */
    public Map<String, String> involved() {
        return Collections.unmodifiableMap(this.involved);
    }

    private static String text(@Nullable Object value) {
        return value instanceof Duration time ? DurationText.of(time) : Printable.of("'" + value + "'");
    }
}
