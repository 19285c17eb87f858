package io.github.lockstarter.docstests.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.markdown.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The numbers of the page of proof are counted in the project, and its defects in its own tables and in the history.
 */
class VerificationPageTest {

    private static final int GUARANTEES = 15;

    private static final String ENGLISH = "docs/verification.md";

    private static final String CHINESE = "docs/zh-CN/verification.md";

    private static final Manual MANUAL = Manual.read(Manual.projectRoot());

    private static final Figures FIGURES = new Figures(Manual.projectRoot());

    /** A row of the tables of defects. */
    private record Defect(String text, String guarantee, String means, String repeat, String repair) {

        boolean isRepeated() {
            return this.repeat.endsWith("repeated") || this.repeat.endsWith("已重现");
        }

        /** Returns the seed or the test without the words around it, which are translated. */
        String evidence() {
            return this.repeat.replaceAll("[^\\w]|seed|repeated|untried|none", "");
        }
    }

    private static Stream<Table> tables(String path, String... header) {
        return MANUAL.page(path).map(Page::tables).orElse(List.of()).stream()
                .filter(table -> Stream.of(header)
                        .anyMatch(last ->
                                table.header().get(table.header().size() - 1).equals(last)));
    }

    private static List<Defect> defects(String path) {
        return tables(path, "Repaired in", "修复")
                .flatMap(table -> table.rows().stream())
                .map(row -> new Defect(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4)))
                .toList();
    }

    private static List<List<String>> figures(String path) {
        return tables(path, "Number", "数量")
                .flatMap(table -> table.rows().stream())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {ENGLISH, CHINESE})
    void shouldHaveTheNumbersOfTheProject(String path) {
        List<Defect> defects = defects(path);
        List<Long> expected = new ArrayList<>(FIGURES.inOrder());
        expected.add((long) defects.size());
        expected.add(defects.stream().filter(Defect::isRepeated).count());

        List<List<String>> figures = figures(path);
        assertThat(figures).hasSameSizeAs(expected);
        assertThat(figures)
                .isEqualTo(IntStream.range(0, expected.size())
                        .mapToObj(
                                i -> List.of(figures.get(i).get(0), String.format(Locale.ROOT, "%,d", expected.get(i))))
                        .toList());
    }

    @Test
    void shouldCountResultsOfEachConfiguration() {
        assertThat(FIGURES.configurationsWithResults()).isEqualTo(FIGURES.names("spec/holds"));
        assertThat(FIGURES.variantsWithResults()).isEqualTo(FIGURES.names("spec/broken"));
    }

    @ParameterizedTest
    @ValueSource(strings = {ENGLISH, CHINESE})
    void shouldCountTheDefectsOfEachMeans(String path) {
        Map<String, Long> stated = tables(path, "Defects", "缺陷")
                .flatMap(table -> table.rows().stream())
                .collect(Collectors.toMap(row -> row.get(0), row -> Long.parseLong(row.get(2))));

        assertThat(defects(path).stream().collect(Collectors.groupingBy(Defect::means, Collectors.counting())))
                .isEqualTo(stated);
    }

    @Test
    void shouldStateOfEachDefectWhatItViolatedAndHowItIsRepeated() {
        assertThat(defects(ENGLISH)).isNotEmpty().allSatisfy(defect -> {
            assertThat(Integer.parseInt(defect.guarantee())).isBetween(1, GUARANTEES);
            assertThat(defect.repair()).matches("[0-9a-f]{8}");
            assertThat(defect.repeat()).matches("(seed \\d+|[A-Z]\\w+(Test|Contract)), (repeated|untried)|none");
        });
        assertThat(defects(ENGLISH)).extracting(Defect::text).doesNotHaveDuplicates();
    }

    @Test
    void shouldListTheSameDefectsInChinese() {
        List<Defect> english = defects(ENGLISH);
        List<Defect> chinese = defects(CHINESE);

        assertThat(chinese)
                .extracting(Defect::guarantee, Defect::repair, Defect::isRepeated, Defect::evidence)
                .isEqualTo(english.stream()
                        .map(defect ->
                                tuple(defect.guarantee(), defect.repair(), defect.isRepeated(), defect.evidence()))
                        .toList());
    }

    @Test
    void shouldNameCommitsOfTheHistory() throws Exception {
        Set<String> commits = git("log", "--format=%h", "--abbrev=8")
                .lines()
                .map(commit -> commit.substring(0, 8))
                .collect(Collectors.toSet());

        assertThat(commits)
                .containsAll(defects(ENGLISH).stream().map(Defect::repair).toList());
    }

    private static String git(String... arguments) throws InterruptedException {
        try {
            if (!output("rev-parse", "--is-shallow-repository").equals("false")) {
                return skip("the history is not complete");
            }
            return output(arguments);
        } catch (IOException ex) {
            return skip(String.valueOf(ex.getMessage()));
        }
    }

    private static String output(String... arguments) throws IOException, InterruptedException {
        Process git = new ProcessBuilder(
                        Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
                .directory(Manual.projectRoot().toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return git.waitFor() == 0 ? output : skip(output);
    }

    private static String skip(String reason) {
        System.out.println("SKIPPED: the commits of docs/verification.md are not checked, since " + reason);
        return abort(reason);
    }
}
