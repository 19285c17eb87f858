package io.github.lockstarter.docstests.fences;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.project.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Commands name modules, files, ports and requests that exist. */
public final class ShellFences implements ManualCheck {

    private static final Pattern MODULES = Pattern.compile("(?:-pl|--projects)[ =](\\S+)");

    private static final Pattern PROFILE = Pattern.compile("\\s-P([\\w,-]+)");

    /** A path with a slash, or a file with a suffix, that begins a word. */
    private static final Pattern PATH = Pattern.compile("(?<=^|\\s)(?:\\./)?([\\w.-]+(?:/[\\w.-]+)+/?)(?=\\s|$)");

    private static final Pattern SAMPLE =
            Pattern.compile("https?://(?:127\\.0\\.0\\.1|localhost)(?::(\\d+))?([^\\s'\"?>]*)");

    private static final Pattern METHOD = Pattern.compile("-X ?([A-Z]+)|--request ([A-Z]+)");

    private static final Pattern PORT = Pattern.compile("server\\.port=(\\d+)");

    private static final Pattern COMMENT = Pattern.compile("(?<=^|\\s)# .*$");

    /** Names of images, which look like paths. */
    private static final Set<String> NAMES = Set.of("valkey/valkey");

    @Override
    public List<Problem> check(Manual manual) {
        SampleMappings mappings = SampleMappings.of(manual.root());
        Set<String> ports = manual.pages().stream()
                .flatMap(page -> page.fences("sh").stream())
                .flatMap(fence -> PORT.matcher(fence.text()).results())
                .map(port -> port.group(1))
                .collect(Collectors.toSet());
        ports.add("8080");
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            for (Fence fence : page.fences("sh")) {
                for (int i = 0; i < fence.code().size(); i++) {
                    String line = COMMENT.matcher(fence.code().get(i)).replaceAll("");
                    int pageLine = fence.pageLine(i);
                    problems(manual.root(), line, mappings, ports)
                            .forEach(text -> problems.add(Problem.at(page, pageLine, text)));
                }
            }
        }
        return problems;
    }

    private static Stream<String> problems(Path root, String line, SampleMappings mappings, Set<String> ports) {
        return Stream.of(modules(root, line), profiles(root, line), paths(root, line), requests(line, mappings, ports))
                .flatMap(texts -> texts);
    }

    private static Stream<String> modules(Path root, String line) {
        return MODULES.matcher(line)
                .results()
                .flatMap(list -> Pattern.compile(",").splitAsStream(list.group(1)))
                .filter(module ->
                        !root.resolve(module).resolve("pom.xml").toFile().exists())
                .map(module -> "there is no module " + module);
    }

    private static Stream<String> profiles(Path root, String line) {
        return line.contains("mvn")
                ? PROFILE.matcher(line)
                        .results()
                        .flatMap(profiles -> Pattern.compile(",").splitAsStream(profiles.group(1)))
                        .filter(profile -> !hasProfile(root, profile))
                        .map(profile -> "there is no profile " + profile)
                : Stream.empty();
    }

    private static boolean hasProfile(Path root, String profile) {
        return Sources.of(root).texts().stream()
                .filter(file -> file.endsWith("pom.xml"))
                .anyMatch(file -> Sources.text(file).contains("<id>" + profile + "</id>"));
    }

    private static Stream<String> paths(Path root, String line) {
        return PATH.matcher(line)
                .results()
                .map((MatchResult path) -> path.group(1))
                .filter(path -> !path.contains("/target/") && !NAMES.contains(path))
                .filter(path -> !root.resolve(path).toFile().exists())
                .map(path -> "there is no file " + path);
    }

    private static Stream<String> requests(String line, SampleMappings mappings, Set<String> ports) {
        if (!line.contains("curl")) {
            return Stream.empty();
        }
        Matcher option = METHOD.matcher(line);
        String method = !option.find() ? "GET" : option.group(1) != null ? option.group(1) : option.group(2);
        return SAMPLE.matcher(line).results().flatMap(url -> {
            if (url.group(1) != null && !ports.contains(url.group(1))) {
                return Stream.of("no sample is started on port " + url.group(1));
            }
            String path = url.group(2).isEmpty() ? "/" : url.group(2);
            return mappings.answer(method, path)
                    ? Stream.empty()
                    : Stream.of("the sample does not answer " + method + " " + path);
        });
    }
}
