package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares the page on faults with the tests and the situations of the simulation that it names. */
class FaultMatrixTest {

    private static final int FAULTS = 75;

    private static final int PROMISES = 15;

    private static final Path PAGE = Path.of("..", "docs", "development", "fault-matrix.md");

    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| (.+) \\| (.+) \\| (.+) \\|");

    /** A class, the file that it links to, and the methods or situations that are named after it. */
    private static final Pattern TEST = Pattern.compile("\\[(\\w+)]\\(([^)]+)\\): ((?:`\\w+`(?:, )?)+)");

    private static final Pattern METHOD = Pattern.compile("`(\\w+)`");

    private record Row(int number, String fault, String promises, String shownBy) {}

    private final List<Row> rows = rows();

    private static List<Row> rows() {
        try {
            List<Row> rows = new ArrayList<>();
            for (String line : Files.readAllLines(PAGE)) {
                Matcher row = ROW.matcher(line);
                if (row.matches()) {
                    rows.add(new Row(Integer.parseInt(row.group(1)), row.group(2), row.group(3), row.group(4)));
                }
            }
            return rows;
        } catch (IOException ex) {
            throw new AssertionError("The page on faults is missing: " + PAGE.toAbsolutePath(), ex);
        }
    }

    @Test
    void shouldHaveARowForEachFault() {
        assertThat(this.rows)
                .extracting(Row::number)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, FAULTS).boxed().toList());
        assertThat(this.rows).extracting(Row::fault).doesNotHaveDuplicates();
    }

    @Test
    void shouldNamePromises() {
        assertThat(this.rows).allSatisfy(row -> {
            for (String promise : row.promises().split(", ", -1)) {
                assertThat(Integer.parseInt(promise)).isBetween(1, PROMISES);
            }
        });
    }

    @Test
    void shouldNameTestsThatExist() {
        assertThat(this.rows).allSatisfy(row -> {
            assertThat(row.shownBy()).isNotEmpty();
            assertThat(TEST.matcher(row.shownBy()).replaceAll("").replace("<br>", ""))
                    .as("nothing but tests")
                    .isEmpty();
            Matcher test = TEST.matcher(row.shownBy());
            while (test.find()) {
                assertThatTestsExist(test.group(1), test.group(2), test.group(3));
            }
        });
    }

    private static void assertThatTestsExist(String className, String link, String methods) throws IOException {
        Path file = PAGE.resolveSibling(link);
        assertThat(file).isRegularFile().hasFileName(className + ".java");
        String source = Files.readString(file);
        Matcher method = METHOD.matcher(methods);
        while (method.find()) {
            String name = method.group(1);
            boolean isSituation = name.equals(name.toUpperCase(Locale.ROOT));
            assertThat(source)
                    .as(className)
                    .containsPattern(
                            "(?m)^" + (isSituation ? " {8}" + name + ",?$" : "    (public )?void " + name + "\\("));
        }
    }
}
