package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sizes of the sources, so that growth is seen when it happens: lines without comments and blank ones, types, packages, and
 * constructors with more than five parameters. A change that exceeds a limit removes something, or raises the limit and gives the reason.
 */
class SizeTest {

    private static final Path MAIN = Path.of("src", "main", "java", "io", "github", "lockstarter");

    private static final Path RESOURCES = Path.of("src", "main", "resources");

    private static final Path TESTS = Path.of("src", "test", "java");

    /** Texts, and then comments, because each may contain what begins the other. */
    private static final Pattern TEXT_OR_COMMENT = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\\n]++|\\\\.)*+'|/\\*.*?\\*/|//[^\\n]*",
            Pattern.DOTALL);

    private static final Pattern TYPE =
            Pattern.compile("(?m)^\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
                    + "(?:class|interface|enum|record|@interface)\\s+\\w+");

    private static final Pattern CLASS = Pattern.compile("\\bclass\\s+(\\w+)");

    @ParameterizedTest
    @CsvSource({
        // limit, aim
        "core,        15850, 13500",
        "engine,       5710,  4800",
        "aop and key,  3240,  3000",
        "store,        4110,  3300",
        "Lua,           670,   600",
        "tests,       24000, 24000",
        "types,         290,   290",
        "packages,       11,    14",
        "constructors,    2,     3"
    })
    void shouldStayWithinItsLimit(String what, int limit, int aim) {
        int size = sizeOf(what);
        System.out.printf("Size of %s: %,d (limit %,d, aim %,d)%n", what, size, limit, aim);
        assertThat(size).as(what).isBetween(1, limit);
    }

    private static int sizeOf(String what) {
        return switch (what) {
            case "core" -> lines(MAIN, ".java");
            case "engine" -> lines(MAIN.resolve("engine"), ".java");
            case "aop and key" -> lines(MAIN.resolve("aop"), ".java") + lines(MAIN.resolve("key"), ".java");
            case "store" -> lines(MAIN.resolve("store"), ".java");
            case "Lua" -> lines(RESOURCES, ".lua");
            case "tests" -> lines(TESTS, ".java");
            case "types" ->
                sources(MAIN, ".java").mapToInt(each -> count(TYPE, each)).sum();
            case "packages" -> (int) sources(MAIN, "package-info.java").count();
            case "constructors" ->
                sources(MAIN, ".java").mapToInt(SizeTest::longConstructors).sum();
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static int lines(Path folder, String suffix) {
        return (int) sources(folder, suffix)
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
