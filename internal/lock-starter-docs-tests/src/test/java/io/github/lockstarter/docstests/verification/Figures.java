package io.github.lockstarter.docstests.verification;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The numbers of the page of proof, counted in the files of the project. */
final class Figures {

    private static final String CORE_TESTS = "lock-starter-core/src/test/java/io/github/lockstarter/";

    private static final String TROUBLES =
            "internal/lock-starter-test-support/src/main/java/io/github/lockstarter/testsupport/history/Trouble.java";

    private static final Pattern RESULT =
            Pattern.compile("^\\| `([\\w.-]+)` \\| \\d+ \\| [^|]+ \\| [\\d,]+ \\| \\d+ \\|", Pattern.MULTILINE);

    private static final Pattern LEFT_OUT =
            Pattern.compile("^\\| `(\\w+\\.[\\w.-]+)` \\| [^|]*\\| `", Pattern.MULTILINE);

    private static final Pattern PLANTED_FAULT = Pattern.compile("^\\| .* \\| ([\\d,]+) \\|$", Pattern.MULTILINE);

    private static final Pattern ROW = Pattern.compile("^\\| \\d+ \\|", Pattern.MULTILINE);

    /** A class of the fault matrix with its methods; situations of the simulation are written in capital letters. */
    private static final Pattern TESTS = Pattern.compile("\\[(\\w+)]\\([^)]+\\): ((?:`\\w+`(?:, )?)+)");

    private static final Pattern METHOD = Pattern.compile("`([a-z]\\w+)`");

    private final Path root;

    Figures(Path root) {
        this.root = root;
    }

    /** Returns the numbers in the order of the page, without those of its own tables. */
    List<Long> inOrder() {
        List<String> holding = texts("spec/holds");
        List<Long> bounds = all(PLANTED_FAULT, "docs/development/simulation.md")
                .map(fault -> number(fault.group(1)))
                .toList();
        long few = constant("lock/PlantedFaultsTest.java", "FEW_SEEDS");
        long some = constant("lock/PlantedFaultsTest.java", "SOME_SEEDS");
        return List.of(
                (long) holding.size(),
                holding.stream().filter(text -> !text.contains("\\* Long.")).count(),
                (long) texts("spec/broken").size(),
                (long) bounds.size(),
                bounds.stream().filter(bound -> bound <= few).count(),
                bounds.stream().filter(bound -> bound > few && bound <= some).count(),
                bounds.stream().filter(bound -> bound > some).count(),
                keptSeeds(),
                constant("store/redis/DifferentialTest.java", "COMMANDS")
                        * count("compare\\(COMMANDS\\)", CORE_TESTS + "store/redis/DifferentialTest.java"),
                all(ROW, "docs/development/fault-matrix.md").count(),
                testsOfTheFaultMatrix(),
                count("(?m)^    [A-Z_]+\\(", TROUBLES),
                files("lock-starter-core/src/test", "Contract.java"),
                files("lock-starter-core/src/test", "ModelTest.java"),
                count("- line:", ".github/workflows/build.yml"));
    }

    /** Returns the configurations of the specification that its page has results of. */
    List<String> configurationsWithResults() {
        return all(RESULT, "spec/README.md")
                .map(result -> result.group(1) + ".cfg")
                .sorted()
                .toList();
    }

    /** Returns the variants of the specification that its page lists. */
    List<String> variantsWithResults() {
        return all(LEFT_OUT, "spec/README.md")
                .map(variant -> variant.group(1) + ".cfg")
                .sorted()
                .toList();
    }

    List<String> names(String folder) {
        try (Stream<Path> files = Files.list(this.root.resolve(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private long keptSeeds() {
        String list = all(Pattern.compile("longs = \\{([^}]+)}"), CORE_TESTS + "lock/SimulationTest.java")
                .findFirst()
                .orElseThrow()
                .group(1);
        return Pattern.compile("\\d[\\d_]*").matcher(list).results().count();
    }

    private long testsOfTheFaultMatrix() {
        return all(TESTS, "docs/development/fault-matrix.md")
                .flatMap(test -> METHOD.matcher(test.group(2)).results().map(method -> test.group(1) + method.group()))
                .distinct()
                .count();
    }

    private long constant(String file, String name) {
        return all(Pattern.compile(" " + name + " = ([\\d_]+);"), CORE_TESTS + file)
                .findFirst()
                .map(value -> number(value.group(1)))
                .orElseThrow();
    }

    private long count(String pattern, String file) {
        return all(Pattern.compile(pattern), file).count();
    }

    private long files(String folder, String ending) {
        try (Stream<Path> files = Files.walk(this.root.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(ending)).count();
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private List<String> texts(String folder) {
        return names(folder).stream().map(name -> text(folder + "/" + name)).toList();
    }

    private Stream<MatchResult> all(Pattern pattern, String file) {
        return pattern.matcher(text(file)).results();
    }

    private String text(String file) {
        try {
            return Files.readString(this.root.resolve(file));
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static long number(String digits) {
        return Long.parseLong(digits.replaceAll("[,_]", ""));
    }
}
