package io.github.lockstarter.testsupport.history;

/**
 * A violation of a rule.
 *
 * @param rule the rule
 * @param owner the {@linkplain Attempt#name() name} of the attempt whose owner should have been the only one, been
 *     notified, or been answered; empty if there is none
 * @param at the {@link System#nanoTime()} of the last event that is part of the violation
 * @param text the events, for a person
 */
public record Violation(Rule rule, String owner, long at, String text) {

    @Override
    public String toString() {
        return this.rule + ": " + this.text;
    }
}
