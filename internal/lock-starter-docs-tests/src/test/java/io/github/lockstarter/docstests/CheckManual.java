package io.github.lockstarter.docstests;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Checks a manual from the command line. The first argument is the root of the project, the others are parts of the
 * paths of the pages whose problems are printed; without any, all are.
 */
final class CheckManual {

    private CheckManual() {}

    public static void main(String[] args) {
        Manual manual = Manual.read(Path.of(args[0]).toAbsolutePath().normalize());
        List<String> pages = Arrays.asList(args).subList(1, args.length);
        List<String> lines = Checks.all().stream()
                .flatMap(check -> Checks.problems(check, manual).stream()
                        .filter(problem -> pages.isEmpty() || pages.stream().anyMatch(problem.page()::contains))
                        .map(problem -> problem + " [" + check.getClass().getSimpleName() + "]"))
                .toList();
        lines.forEach(System.out::println);
        System.out.println(lines.size() + " problems");
        System.exit(lines.isEmpty() ? 0 : 1);
    }
}
