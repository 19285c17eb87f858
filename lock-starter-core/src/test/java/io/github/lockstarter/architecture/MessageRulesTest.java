package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Rules of what users read, over the source code of all published modules: names of locks and other texts from outside
 * are printable wherever they appear, and keys appear as the application wants it.
 */
class MessageRulesTest {

    private static final List<String> MODULES = List.of(
            "lock-starter-core",
            "lock-starter-autoconfigure",
            "extensions/lock-starter-jdbc",
            "extensions/lock-starter-leader",
            "extensions/lock-starter-shedlock",
            "extensions/lock-starter-spring-integration",
            "extensions/lock-starter-test",
            "extensions/lock-starter-ui",
            "extensions/lock-starter-health-boot3");

    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"");

    private static final Pattern THROWN = Pattern.compile("new (\\w+(?:Exception|Error))\\(");

    /** A text that ends with "lock '" and goes on with the name of one, or an operand that is its full name. */
    private static final Pattern NAMED =
            Pattern.compile("(?:[lL]ocks? '\"\\s*\\+|\\+(?=\\s*(?:\\w+(?:\\(\\))?\\.)*lockName(?:\\(\\))?\\s*[+,;)]))");

    private static final Pattern OURS = Pattern.compile("class (\\w+) extends (\\w+)");

    private final Map<Path, String> sources = sources();

    /** Its lines are printable; those of other loggers are not. */
    @Test
    void shouldLogByLockLogAlone() {
        assertThat(this.sources)
                .allSatisfy((file, source) -> assertThat(file.endsWith(Path.of("text", "LockLog.java"))
                                || !Pattern.compile(
                                                "\\b(LogFactory|LoggerFactory|System\\.Logger|java\\.util\\.logging)\\b")
                                        .matcher(source)
                                        .find())
                        .as(file.toString())
                        .isTrue());
    }

    /** LockException and what extends it do that themselves. */
    @Test
    void shouldMakeMessagesOfExceptionsPrintable() {
        Set<String> sanitizing = sanitizingExceptions();
        this.sources.forEach((file, source) -> {
            Matcher thrown = THROWN.matcher(source);
            while (thrown.find()) {
                String message = firstArgument(source, thrown.end());
                boolean composed = STRING.matcher(message).find()
                        && !STRING.matcher(message)
                                .replaceAll("")
                                .replaceAll("[\\s+]", "")
                                .isEmpty();
                if (composed && !sanitizing.contains(thrown.group(1))) {
                    assertThat(message.strip()).as(file + ": " + thrown.group()).startsWith("Printable.of(");
                }
            }
        });
    }

    /** By a LoggedNames, which knows whether keys may be shown; or by the static name alone. */
    @Test
    void shouldNameLocksAsTheApplicationWantsIt() {
        this.sources.forEach((file, source) -> {
            Matcher named = NAMED.matcher(source);
            while (named.find()) {
                String operand = operand(source, named.end());
                assertThat(operand.replaceAll("\\s", ""))
                        .as(file + ": " + named.group())
                        .matches(
                                ".*(\\.of(Static)?\\(|shown(Name)?\\().*|shown|shownName|(request|spec|event)(\\(\\))?\\.name\\(\\)|"
                                        + "name|this\\.name|beginning\\(lockName\\)");
            }
        });
    }

    /** The operand of {@code +} that begins there. */
    private static String operand(String source, int from) {
        int depth = 0;
        for (int i = from; i < source.length(); i++) {
            char c = source.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0 || (depth == 0 && "+,;".indexOf(c) >= 0)) {
                return source.substring(from, i);
            }
        }
        return source.substring(from);
    }

    /** The exceptions whose constructors do it, by their declarations. */
    private Set<String> sanitizingExceptions() {
        Map<String, String> parents = new TreeMap<>();
        this.sources.values().forEach(source -> {
            Matcher type = OURS.matcher(source);
            while (type.find()) {
                parents.put(type.group(1), type.group(2));
            }
        });
        Set<String> found = new HashSet<>(Set.of("LockException", "InvalidLockSettingException"));
        boolean more = true;
        while (more) {
            more = false;
            for (Map.Entry<String, String> each : parents.entrySet()) {
                more |= found.contains(each.getValue()) && found.add(each.getKey());
            }
        }
        // Their messages go on in messages of others, and contain names of types.
        found.addAll(Set.of("UnstableTextException", "UnusableValueException"));
        return found;
    }

    /** The first argument of a call whose parenthesis has just been opened there. */
    private static String firstArgument(String source, int from) {
        int depth = 0;
        Matcher string = STRING.matcher(source);
        StringBuilder argument = new StringBuilder();
        for (int i = from; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '"' && string.region(i, source.length()).lookingAt()) {
                argument.append(string.group());
                i = string.end() - 1;
                continue;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0 || (depth == 0 && c == ',')) {
                break;
            }
            argument.append(c);
        }
        return argument.toString();
    }

    private static Map<Path, String> sources() {
        return MODULES.stream()
                .map(module -> Path.of("..", module, "src", "main", "java"))
                .flatMap(root -> files(root, ".java"))
                .collect(Collectors.toMap(file -> file, MessageRulesTest::withoutComments, (a, b) -> a, TreeMap::new));
    }

    static Stream<Path> files(Path root, String suffix) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList().stream();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String withoutComments(Path file) {
        return text(file).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^\\s*//.*$", "");
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
