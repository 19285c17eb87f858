package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Prints the sizes of the sources, so that growth is seen when it happens: lines without comments and blank ones,
 * types, packages, and constructors with more than five parameters. Limits leave room above what was measured. A
 * change that exceeds a limit raises it and gives the reason in its commit.
 */
class SizeTest {

    private static final Path MAIN = Path.of("src", "main", "java", "io", "github", "lockstarter");

    private static final Path RESOURCES = Path.of("src", "main", "resources");

    private static final Path AUTOCONFIGURE = Path.of("..", "lock-starter-autoconfigure", "src", "main", "java");

    private static final Path EXTENSIONS = Path.of("..", "extensions");

    private static final Path TESTS = Path.of("src", "test", "java");

    /** Texts, and then comments, because each may contain what begins the other. */
    private static final Pattern TEXT_OR_COMMENT = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\\n]++|\\\\.)*+'|/\\*.*?\\*/|//[^\\n]*",
            Pattern.DOTALL);

    private static final Pattern TYPE =
            Pattern.compile("(?m)^\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
                    + "(?:class|interface|enum|record|@interface)\\s+\\w+");

    private static final Pattern CLASS = Pattern.compile("\\bclass\\s+(\\w+)");

    /** What was measured, 1.5, with room. */
    private static final double TESTS_PER_MAIN_LINE = 1.8;

    @ParameterizedTest
    @CsvSource({
        "core,               19900",
        "machine,             2200",
        "driver,              1900",
        "registry,            3900",
        "aop and key,         3600",
        "store,               5900",
        "Lua,                  800",
        "published modules,  28100",
        "packages,              14",
        "constructors,           3"
    })
    void shouldStayWithinItsLimit(String what, int limit) {
        assertSize(what, limit);
    }

    @Test
    void shouldHaveTestsInProportion() {
        assertSize("tests of core", (int) (TESTS_PER_MAIN_LINE * sizeOf("core")));
    }

    /** Types have no limit: a limit makes people merge what is better apart. */
    @Test
    void shouldPrintTheNumberOfTypes() {
        assertSize("types", Integer.MAX_VALUE);
    }

    private static void assertSize(String what, int limit) {
        int size = sizeOf(what);
        System.out.printf(
                "Size of %s: %,d%s%n", what, size, limit < Integer.MAX_VALUE ? " (limit %,d)".formatted(limit) : "");
        assertThat(size).as(what).isBetween(1, limit);
    }

    private static int sizeOf(String what) {
        return switch (what) {
            case "core" -> lines(MAIN, ".java");
            case "machine" -> lines(MAIN.resolve("lock"), ".java");
            case "driver" -> lines(MAIN.resolve("engine"), ".java");
            case "registry" -> lines(MAIN.resolve("registry"), ".java");
            case "aop and key" -> lines(MAIN.resolve("aop"), ".java") + lines(MAIN.resolve("key"), ".java");
            case "store" -> lines(MAIN.resolve("store"), ".java");
            case "Lua" -> lines(RESOURCES, ".lua");
            // code that moves between modules does not reduce this sum
            case "published modules" ->
                lines(MAIN, ".java") + lines(AUTOCONFIGURE, ".java") + lines(EXTENSIONS, "src/main/java", ".java");
            case "tests of core" -> lines(TESTS, ".java");
            case "types" ->
                sources(MAIN, ".java").mapToInt(each -> count(TYPE, each)).sum();
            case "packages" -> (int) sources(MAIN, "package-info.java").count();
            case "constructors" ->
                sources(MAIN, ".java").mapToInt(SizeTest::longConstructors).sum();
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static int lines(Path folder, String suffix) {
        return lines(folder, "", suffix);
    }

    /** Counts the lines of the files whose path contains {@code part}. */
    private static int lines(Path folder, String part, String suffix) {
        return (int) MessageRulesTest.files(folder, suffix)
                .filter(file -> file.toString().contains(part))
                .map(SizeTest::source)
                .flatMap(String::lines)
                .filter(line -> !line.isBlank() && !line.strip().startsWith("--"))
                .count();
    }

    /** Returns the sources with empty texts and without comments. */
    private static Stream<String> sources(Path folder, String suffix) {
        return MessageRulesTest.files(folder, suffix).map(SizeTest::source);
    }

    private static String source(Path file) {
        String text = MessageRulesTest.text(file);
        return file.toString().endsWith(".java")
                ? TEXT_OR_COMMENT.matcher(text).replaceAll(found -> Matcher.quoteReplacement(reduced(found.group())))
                : text;
    }

    /** A text of several lines counts with its lines. */
    private static String reduced(String found) {
        if (found.startsWith("/")) {
            return "";
        }
        return "\"" + ".\n".repeat((int) found.lines().count() - 1) + "\"";
    }

    private static int count(Pattern pattern, String source) {
        return (int) pattern.matcher(source).results().count();
    }

    private static int longConstructors(String source) {
        return (int) CLASS.matcher(source)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .flatMap(name -> Pattern.compile("(?<!new )\\b" + name
                                + "\\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)\\s*(?:throws [\\w., ]+)?\\{")
                        .matcher(source)
                        .results())
                .filter(found -> found.group(1)
                                .replaceAll("<[^<>]*>", "")
                                .replaceAll("<[^<>]*>", "")
                                .split(",")
                                .length
                        > 5)
                .count();
    }
}
