package io.github.lockstarter.docstests.text;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.TextBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The manual has none of the phrases that were replaced by plain technical English. */
public final class Phrases implements ManualCheck {

    private static final List<Pattern> PHRASES =
            Resources.list("phrases.txt").stream().map(Phrases::pattern).toList();

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            for (TextBlock text : page.texts()) {
                for (Pattern phrase : PHRASES) {
                    Matcher found = phrase.matcher(text.prose());
                    while (found.find()) {
                        String words = found.group().replaceAll("\\s+", " ").strip();
                        problems.add(Problem.at(page, text.lineOf(found.start()), "write plainly: \"" + words + "\""));
                    }
                }
            }
        }
        return problems;
    }

    /**
     * Returns a pattern of whole words. A leading ^ stands for the beginning of a sentence, an ellipsis for any words.
     */
    private static Pattern pattern(String phrase) {
        boolean begins = phrase.startsWith("^");
        StringBuilder regex = new StringBuilder(begins ? "(?:^|[.:!?|]\\s+|\\n\\s*(?:[-*]|\\d+\\.)\\s+)" : "\\b");
        boolean[] first = {true};
        Pattern.compile("\\s+")
                .splitAsStream(begins ? phrase.substring(1) : phrase)
                .forEach(word -> {
                    regex.append(first[0] ? "" : "\\s+").append(word.equals("…") ? "[^.]*?" : Pattern.quote(word));
                    first[0] = false;
                });
        return Pattern.compile(regex + "\\b", begins ? 0 : Pattern.CASE_INSENSITIVE);
    }
}
