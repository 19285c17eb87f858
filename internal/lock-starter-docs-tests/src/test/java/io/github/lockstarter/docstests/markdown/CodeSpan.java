package io.github.lockstarter.docstests.markdown;

/**
 * Text in backticks.
 *
 * @param line the line of the page, counted from one
 * @param text the text, in one line
 */
public record CodeSpan(int line, String text) {}
