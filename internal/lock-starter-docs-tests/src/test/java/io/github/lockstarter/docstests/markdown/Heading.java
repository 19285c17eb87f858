package io.github.lockstarter.docstests.markdown;

/**
 * A heading.
 *
 * @param line the line of the page, counted from one
 * @param level the number of its hashes
 * @param text its text with Markdown in it
 * @param anchor the anchor that GitHub gives it
 */
public record Heading(int line, int level, String text, String anchor) {}
