package io.github.lockstarter.docstests.project;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The string literals of Java code. Literals that are joined by {@code +} are one; what is between others, and the
 * parts of a format, begin a new one.
 */
public final class StringLiterals {

    /** A comment, a text block, a literal, a character, or any other character. */
    private static final Pattern TOKEN = Pattern.compile(
            "//[^\n]*|/\\*.*?\\*/|\"\"\"(.*?)\"\"\"|\"((?:\\\\.|[^\"\\\\\n])*)\"|'(?:\\\\.|[^'\\\\])+'|\\s+|.",
            Pattern.DOTALL);

    private static final Pattern FORMAT = Pattern.compile("%(?:\\d+\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?[a-zA-Z%]|\\{}");

    private static final Map<Path, Set<String>> READ = new ConcurrentHashMap<>();

    private StringLiterals() {}

    /** Returns the literals of the main code of a project. They are read once. */
    public static Set<String> of(Path root) {
        return READ.computeIfAbsent(root, StringLiterals::read);
    }

    private static Set<String> read(Path root) {
        return Sources.of(root).main().stream()
                .filter(file -> file.toString().endsWith(".java"))
                .flatMap(file -> in(Sources.text(file)).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the literals of code, without the variable parts of formats. */
    static List<String> in(String code) {
        List<String> joined = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        boolean plus = false;
        boolean open = false;
        Matcher token = TOKEN.matcher(code);
        while (token.find()) {
            String literal = token.group(1) != null ? token.group(1).stripIndent() : token.group(2);
            if (literal != null) {
                if (!(open && plus)) {
                    close(joined, current);
                }
                current.append(literal.translateEscapes());
                open = true;
                plus = false;
            } else if (token.group().equals("+")) {
                open = open && !plus;
                plus = true;
            } else if (!isBlank(token.group())) {
                open = false;
                plus = false;
            }
        }
        close(joined, current);
        return joined.stream()
                .flatMap(FORMAT::splitAsStream)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static boolean isBlank(String token) {
        return token.isBlank() || token.startsWith("//") || token.startsWith("/*");
    }

    private static void close(List<String> joined, StringBuilder current) {
        if (!current.isEmpty()) {
            joined.add(current.toString());
            current.setLength(0);
        }
    }
}
