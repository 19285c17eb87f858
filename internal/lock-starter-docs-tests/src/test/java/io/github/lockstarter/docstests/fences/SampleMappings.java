package io.github.lockstarter.docstests.fences;

import io.github.lockstarter.docstests.project.Sources;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The requests that the sample answers, as its controllers declare them. */
final class SampleMappings {

    private static final Pattern OF_THE_CLASS = Pattern.compile("@RequestMapping\\(\"([^\"]+)\"\\)");

    private static final Pattern OF_A_METHOD =
            Pattern.compile("@(Get|Post|Put|Delete|Patch)Mapping(?:\\((?:path = )?\"([^\"]*)\"|(?=\\s))");

    private static final Pattern ACTUATOR = Pattern.compile(
            "/actuator(/(health|info|leaders|locks|metrics|prometheus|conditions|configprops|env|beans)(/.*)?)?");

    private final Set<Pattern> requests;

    private SampleMappings(Set<Pattern> requests) {
        this.requests = requests;
    }

    static SampleMappings of(Path root) {
        Path sample = root.resolve("lock-starter-sample");
        return new SampleMappings(Sources.of(root).main().stream()
                .filter(file -> file.startsWith(sample))
                .flatMap(file -> requests(Sources.text(file)))
                .collect(Collectors.toSet()));
    }

    private static Stream<Pattern> requests(String code) {
        Matcher type = OF_THE_CLASS.matcher(code);
        String prefix = type.find() ? type.group(1) : "";
        return OF_A_METHOD.matcher(code).results().map(mapping -> request(prefix, mapping));
    }

    private static Pattern request(String prefix, MatchResult mapping) {
        String path = prefix + (mapping.group(2) != null ? mapping.group(2) : "");
        return Pattern.compile(mapping.group(1).toUpperCase(Locale.ROOT) + " " + path.replaceAll("\\{[^}]+}", "[^/]+"));
    }

    /** Returns whether a controller or the actuator answers this method and path, or a page is there. */
    boolean answer(String method, String path) {
        return path.equals("/")
                || ACTUATOR.matcher(path).matches()
                || this.requests.stream()
                        .anyMatch(
                                request -> request.matcher(method + " " + path).matches());
    }
}
