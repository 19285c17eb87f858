package io.github.lockstarter.docstests.markdown;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A fenced code block.
 *
 * @param line the line of the page in which the fence opens, counted from one
 * @param language the word after the fence, empty if there is none
 * @param code the lines of the code, without the indentation of the fence
 */
public record Fence(int line, String language, List<String> code) {

    public Fence {
        code = List.copyOf(code);
    }

    /** Returns the line of the page in which a line of the code stands, counted from zero there. */
    public int pageLine(int codeLine) {
        return this.line + 1 + codeLine;
    }

    /** Returns the line of the page in which the code has that text first; the line of the fence if it has not. */
    public int pageLineOf(String text) {
        return IntStream.range(0, this.code.size())
                .filter(i -> this.code.get(i).contains(text))
                .map(this::pageLine)
                .findFirst()
                .orElse(this.line);
    }

    /** Returns the code as one text. */
    public String text() {
        return String.join("\n", this.code);
    }

    public boolean isOf(String... languages) {
        return List.of(languages).contains(this.language);
    }
}
