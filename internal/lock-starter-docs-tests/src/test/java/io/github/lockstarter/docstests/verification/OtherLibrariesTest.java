package io.github.lockstarter.docstests.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of proof has the tables that the comparison under faults has written. */
class OtherLibrariesTest {

    private static final Path ROOT = Manual.projectRoot();

    private static final Manual MANUAL = Manual.read(ROOT);

    private static final Page ENGLISH = MANUAL.page("docs/verification.md").orElseThrow();

    private static final Page CHINESE =
            MANUAL.page("docs/zh-CN/verification.md").orElseThrow();

    private static final Page RESULT = read("internal/lock-starter-benchmarks/RESULTS-faults.md");

    private static final String COMMAND = "internal/lock-starter-benchmarks/run faults --";

    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,]*");

    private static final Map<String, String> WORDS = Map.of("does not promise", "未承诺", "no violation", "无违反");

    private static Page read(String path) {
        try {
            return Page.of(path, Files.readString(ROOT.resolve(path)));
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    /** Returns the tables of the rules and of two owners. Their rows begin with the libraries. */
    private static List<Table> tables(Page page) {
        String library = RESULT.tables().get(0).rows().get(0).get(0);
        return page.tables().stream()
                .filter(table -> table.rows().get(0).get(0).equals(library))
                .limit(2)
                .toList();
    }

    private static List<List<String>> rows(Page page) {
        return tables(page).stream().flatMap(table -> table.rows().stream()).toList();
    }

    /** Returns what does not depend on the language: numbers, and whether a cell has one of the words. */
    private static List<String> facts(String cell, String... words) {
        return Stream.concat(
                        Stream.of(words).map(word -> Boolean.toString(cell.contains(word))),
                        NUMBER.matcher(cell).results().map(MatchResult::group).sorted())
                .toList();
    }

    private static List<List<String>> facts(Page page, String... words) {
        return rows(page).stream()
                .flatMap(row -> row.subList(1, row.size()).stream())
                .map(cell -> facts(cell, words))
                .toList();
    }

    @Test
    void shouldBeTheTablesOfTheResult() {
        assertThat(rows(ENGLISH)).isNotEmpty().isEqualTo(rows(RESULT));
        assertThat(tables(ENGLISH))
                .extracting(Table::header)
                .isEqualTo(tables(RESULT).stream().map(Table::header).toList());
    }

    @Test
    void shouldBeTheTablesOfTheResultInChinese() {
        String[] words = WORDS.keySet().stream().sorted().toArray(String[]::new);
        String[] translated = WORDS.keySet().stream().sorted().map(WORDS::get).toArray(String[]::new);

        assertThat(rows(CHINESE))
                .extracting(row -> row.get(0))
                .isEqualTo(rows(RESULT).stream().map(row -> row.get(0)).toList());
        assertThat(facts(CHINESE, translated)).isEqualTo(facts(RESULT, words));
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/verification.md", "docs/zh-CN/verification.md"})
    void shouldHaveTheCommandAndTheDateOfTheResult(String path) {
        List<String> lines = MANUAL.page(path).orElseThrow().lines();
        String command = RESULT.lines().stream()
                .map(String::strip)
                .filter(line -> line.startsWith(COMMAND))
                .findFirst()
                .orElseThrow();
        String date = RESULT.lines().stream()
                .flatMap(line -> DATE.matcher(line).results())
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow();

        assertThat(lines).contains(command).anySatisfy(line -> assertThat(line).contains(date));
    }
}
