package io.github.lockstarter.docstests;

import io.github.lockstarter.docstests.configuration.ConfigurationFences;
import io.github.lockstarter.docstests.configuration.ConfigurationPage;
import io.github.lockstarter.docstests.fences.Languages;
import io.github.lockstarter.docstests.fences.ShellFences;
import io.github.lockstarter.docstests.fences.XmlFences;
import io.github.lockstarter.docstests.java.JavaSnippets;
import io.github.lockstarter.docstests.messages.QuotedMessages;
import io.github.lockstarter.docstests.names.CodeNames;
import io.github.lockstarter.docstests.names.MeterNames;
import io.github.lockstarter.docstests.names.PropertyNames;
import io.github.lockstarter.docstests.names.Words;
import io.github.lockstarter.docstests.structure.Links;
import io.github.lockstarter.docstests.structure.Outline;
import io.github.lockstarter.docstests.structure.Translations;
import io.github.lockstarter.docstests.text.Phrases;
import java.util.List;

/** All checks of the manual. */
final class Checks {

    private static final List<ManualCheck> ALL = List.of(
            new Outline(),
            new Links(),
            new Translations(),
            new Phrases(),
            new Languages(),
            new JavaSnippets(),
            new XmlFences(),
            new ShellFences(),
            new ConfigurationFences(),
            new ConfigurationPage(),
            new PropertyNames(),
            new MeterNames(),
            new CodeNames(),
            new Words(),
            new QuotedMessages());

    private Checks() {}

    static List<ManualCheck> all() {
        return ALL;
    }

    /** Returns what is wrong, by page and line. */
    static List<Problem> problems(ManualCheck check, Manual manual) {
        return check.check(manual).stream().distinct().sorted().toList();
    }
}
