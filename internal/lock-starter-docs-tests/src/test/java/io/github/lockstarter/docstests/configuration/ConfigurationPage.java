package io.github.lockstarter.docstests.configuration;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The page of configuration has each property of the metadata in one row of its tables, with its default, and no other.
 * A name is written in full, or below a header that is its prefix, such as {@code `distributed-lock.`}.
 */
public final class ConfigurationPage implements ManualCheck {

    private static final List<String> PAGES =
            List.of("docs/reference/configuration.md", "docs/zh-CN/reference/configuration.md");

    @Override
    public List<Problem> check(Manual manual) {
        return PAGES.stream()
                .flatMap(path -> manual.page(path).stream())
                .flatMap(page -> check(page).stream())
                .toList();
    }

    private static List<Problem> check(Page page) {
        List<Problem> problems = new ArrayList<>();
        List<PropertyRow> rows = PropertyRow.of(page);
        List<Metadata.Property> properties = Metadata.get().ours();
        for (Metadata.Property property : properties) {
            List<PropertyRow> found = rows.stream()
                    .filter(row -> row.name().equals(property.name()))
                    .toList();
            if (found.isEmpty()) {
                problems.add(Problem.at(page, 1, "no table has the property " + property.name()));
            }
            found.stream()
                    .skip(1)
                    .forEach(row -> problems.add(Problem.at(
                            page,
                            row.line(),
                            row.name() + " is also in line " + found.get(0).line())));
            found.forEach(row -> problems.addAll(check(page, row, property)));
        }
        rows.stream()
                .filter(row -> row.name().startsWith("distributed-lock."))
                .filter(row -> !isKnown(row.name(), properties))
                .forEach(row -> problems.add(Problem.at(page, row.line(), "there is no property " + row.name())));
        return problems;
    }

    private static boolean isKnown(String name, List<Metadata.Property> properties) {
        return Stream.concat(Stream.of(Metadata.NAMED), properties.stream().map(Metadata.Property::name))
                .anyMatch(known -> name.equals(known)
                        || name.startsWith(Metadata.NAMED + ".<name>.…")
                        || name.equals(Metadata.NAMED + ".<name>.*"));
    }

    private static List<Problem> check(Page page, PropertyRow row, Metadata.Property property) {
        List<Problem> problems = new ArrayList<>();
        if (row.description().isBlank()) {
            problems.add(Problem.at(page, row.line(), row.name() + " has no description"));
        }
        boolean named = row.name().startsWith(Metadata.NAMED);
        if (!named && row.defaultValue().isBlank()) {
            problems.add(Problem.at(page, row.line(), row.name() + " has no default, at least 'none'"));
        }
        String expected = property.defaultValue();
        if (!expected.isEmpty() && !expected.equals(evaluated(row.shownDefault()))) {
            problems.add(Problem.at(
                    page,
                    row.line(),
                    "the default of " + row.name() + " is " + expected + ", not " + row.shownDefault()));
        }
        return problems;
    }

    /** Returns the number that a difference to the largest one means. */
    private static String evaluated(String shown) {
        String largest = "Integer.MAX_VALUE - ";
        return shown.startsWith(largest)
                ? Integer.toString(Integer.MAX_VALUE - Integer.parseInt(shown.substring(largest.length())))
                : shown;
    }
}
