package io.github.lockstarter.docstests.markdown;

import java.util.List;

/**
 * A comment of HTML that begins a line.
 *
 * @param line the line of the page in which the comment opens, counted from one
 * @param content the lines between its marks; the first is what follows the opening mark
 */
public record Comment(int line, List<String> content) {

    public Comment {
        content = List.copyOf(content);
    }
}
