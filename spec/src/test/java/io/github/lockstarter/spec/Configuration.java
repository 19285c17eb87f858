package io.github.lockstarter.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One configuration of a module of the specification: {@code <module>.<what it shows>.cfg}. */
record Configuration(Path file, String text) {

    /** The directory with the modules. */
    static final Path HOME = Path.of(System.getProperty("basedir", "")).toAbsolutePath();

    private static final String ONLY = System.getProperty("spec.only", "");

    private static final Pattern DROPPED = Pattern.compile("Dropped = \"([^\"]+)\"");

    private static final Pattern CHECKED =
            Pattern.compile("^(?:INVARIANT|INVARIANTS|PROPERTY) (.+)$", Pattern.MULTILINE);

    /** All configurations of that directory, in the order of their names. */
    static List<Configuration> in(String directory) throws IOException {
        try (Stream<Path> files = Files.list(HOME.resolve(directory))) {
            List<Path> sorted = files.sorted().toList();
            Configuration[] all = new Configuration[sorted.size()];
            for (int i = 0; i < all.length; i++) {
                all[i] = new Configuration(sorted.get(i), Files.readString(sorted.get(i)));
            }
            return List.of(all);
        }
    }

    String module() {
        String name = this.file.getFileName().toString();
        return name.substring(0, name.indexOf('.'));
    }

    /** The rule that it leaves out; "none". */
    String dropped() {
        Matcher matcher = DROPPED.matcher(this.text);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** Names of what is checked. */
    List<String> checked() {
        return CHECKED.matcher(this.text)
                .results()
                .flatMap(result -> Stream.of(result.group(1).split(" ")))
                .toList();
    }

    /**
     * Whether a build leaves it out unless asked: it takes long, or is one of the many that show what a rule is for.
     */
    boolean isOnRequest() {
        return this.text.contains("\\* Long.") || (this.file.getParent().endsWith("broken") && ONLY.isEmpty());
    }

    /** Whether it is to be checked: {@code -Dspec.only=HandOver} names a module or the begin of a file. */
    boolean isWanted() {
        return toString().startsWith(ONLY);
    }

    boolean checksLiveness() {
        return this.text.contains("\nPROPERTY ");
    }

    @Override
    public String toString() {
        return this.file.getFileName().toString();
    }
}
