package io.github.lockstarter.named;

/**
 * A value that a property sets for the locks of one name.
 *
 * @param property name of the property without the prefix {@code distributed-lock.}, for messages
 * @param value the value
 */
public record NamedValue<T>(String property, T value) {}
