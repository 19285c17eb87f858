package io.github.lockstarter.docstests.markdown;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The anchors that GitHub gives to the headings of one page. */
final class Anchors {

    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    /** All that is not a letter, a digit, a mark, a connector, a hyphen or a space. */
    private static final Pattern DROPPED = Pattern.compile("[^\\p{L}\\p{N}\\p{M}\\p{Pc} -]");

    private final Map<String, Integer> uses = new HashMap<>();

    /** Returns the anchor of the next heading. A repeated one has a number. */
    String next(String heading) {
        String text = LINK.matcher(heading).replaceAll("$1").strip().toLowerCase(Locale.ROOT);
        String anchor = DROPPED.matcher(text).replaceAll("").replace(' ', '-');
        int uses = this.uses.merge(anchor, 1, Integer::sum);
        return uses == 1 ? anchor : anchor + "-" + (uses - 1);
    }
}
