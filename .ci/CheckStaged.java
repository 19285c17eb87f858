import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/**
 * Checks a staged repository by what Maven Central publishes as its requirements, and by what Gradle reads in the
 * poms, without a network. Started by {@code .ci/check-staged}. Each rule has a fault in {@link #FAULTS}: {@code
 * --self-test} breaks a copy of the repository with each of them, and fails if one is not found.
 */
final class CheckStaged {

    private static final String GROUP = "io.github.lockstarter";

    private static final String BOM = "lock-starter-bom";

    private static final String PARENT = "lock-starter-parent";

    /** The dependency that an application adds. */
    private static final String STARTER = "lock-starter";

    /** The module with the types that an application compiles against. */
    private static final String CORE = "lock-starter-core";

    /** The end of a host that .ci/test-identity writes; no host of that kind can exist. */
    private static final String TEST_HOST = ".invalid/";

    private static final Map<String, String> DIGESTS =
            Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]+)}");

    /** The sums of files and signatures that gpg has accepted: a copy of them needs no second process. */
    private static final Set<String> ACCEPTED = new TreeSet<>();

    private final Path repository;

    private final String version;

    private final Set<String> modules;

    private final Path localRepository;

    private final Map<Path, Element> poms = new TreeMap<>();

    private final Set<String> problems = new LinkedHashSet<>();

    private final Set<String> open = new TreeSet<>();

    private CheckStaged(Path repository, String version, Set<String> modules, Path localRepository) {
        this.repository = repository;
        this.version = version;
        this.modules = modules;
        this.localRepository = localRepository;
    }

    public static void main(String[] args) throws IOException {
        List<String> words = new ArrayList<>(List.of(args));
        boolean selfTest = words.remove("--self-test");
        boolean release = words.remove("--release");
        Path repository = Path.of(words.get(0)).toAbsolutePath();
        String version = words.get(1);
        Path localRepository = Path.of(words.get(2));
        Set<String> modules = new TreeSet<>(words.subList(3, words.size()));
        UnaryOperator<CheckStaged> checked = check -> {
            check.run();
            return check;
        };
        if (selfTest) {
            System.exit(selfTest(repository, copy -> checked.apply(
                                    new CheckStaged(copy, version, modules, localRepository))
                            .problems)
                    ? 0
                    : 1);
        }
        CheckStaged check = checked.apply(new CheckStaged(repository, version, modules, localRepository));
        check.printDependencies();
        check.open.forEach(text -> System.out.println("OPEN: " + text));
        check.problems.forEach(text -> System.err.println("WRONG: " + text));
        System.out.printf(
                "%d modules, %d files: %d wrong, %d open%n",
                modules.size(), files(repository).size(), check.problems.size(), check.open.size());
        System.exit(check.problems.isEmpty() && !(release && !check.open.isEmpty()) ? 0 : 1);
    }

    private void run() {
        Set<String> expected = new TreeSet<>();
        for (String module : this.modules) {
            List<String> kinds = module.equals(BOM) || module.equals(PARENT)
                    ? List.of(".pom", "-cyclonedx.json")
                    : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");
            for (String kind : kinds) {
                Path file = file(module, kind);
                String name = this.repository.relativize(file).toString();
                expected.add(name);
                expected.add(name + ".asc");
                DIGESTS.keySet().forEach(digest -> expected.add(name + "." + digest));
                if (Files.exists(file)) {
                    digests(file);
                    signature(file);
                }
            }
            if (Files.exists(file(module, ".pom"))) {
                pom(module);
            }
            if (kinds.contains(".jar")) {
                contents(module);
            }
            sbom(module, kinds.contains(".jar") ? "jar" : "pom");
        }
        Set<String> found = files(this.repository);
        expected.stream().filter(name -> !found.contains(name)).forEach(name -> wrong(name, "is missing"));
        found.stream()
                .filter(name -> !expected.contains(name))
                .forEach(name -> wrong(name, "must not be published: it belongs to no module of .ci/published-modules"));
        bom();
        compilePath();
        openSteps();
    }

    // ---- files

    private void digests(Path file) {
        DIGESTS.forEach((suffix, algorithm) -> {
            Path digest = Path.of(file + "." + suffix);
            if (Files.exists(digest) && !text(digest).strip().equals(digest(file, algorithm))) {
                wrong(file, "has another " + algorithm + " than its file ." + suffix + " says");
            }
        });
    }

    private void signature(Path file) {
        if (!Files.exists(Path.of(file + ".asc"))) {
            return; // is missing
        }
        if (ACCEPTED.contains(digest(file, "SHA-256") + digest(Path.of(file + ".asc"), "SHA-256"))) {
            return;
        }
        try {
            Process gpg = new ProcessBuilder("gpg", "--batch", "--verify", file + ".asc", file.toString())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (gpg.waitFor() != 0) {
                wrong(file, "has a signature that gpg does not accept: "
                        + output.strip().replaceAll("\\s*\\n\\s*", "; "));
            } else {
                ACCEPTED.add(digest(file, "SHA-256") + digest(Path.of(file + ".asc"), "SHA-256"));
            }
        } catch (IOException ex) {
            throw new UncheckedIOException("gpg is needed to check signatures", ex);
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void contents(String module) {
        Path jar = file(module, ".jar");
        Set<String> classes = entries(jar, ".class");
        Set<String> sources = entries(file(module, "-sources.jar"), "");
        Set<String> javadoc = entries(file(module, "-javadoc.jar"), "");
        if (sources.isEmpty()) {
            wrong(file(module, "-sources.jar"), "has no contents");
        }
        if (javadoc.isEmpty() || !classes.isEmpty() && !javadoc.contains("index.html")) {
            wrong(file(module, "-javadoc.jar"), "has no contents, or no index.html");
        }
        classes.stream()
                .map(name -> name.replaceAll("(\\$.*)?\\.class$", ".java"))
                .filter(name -> !sources.contains(name))
                .findFirst()
                .ifPresent(name -> wrong(file(module, "-sources.jar"), "has no " + name));
    }

    private void sbom(String module, String type) {
        Path sbom = file(module, "-cyclonedx.json");
        if (Files.exists(sbom)) {
            String json = text(sbom);
            if (!json.contains("\"CycloneDX\"")
                    || !json.contains("\"pkg:maven/" + GROUP + "/" + module + "@" + this.version + "?type=" + type + "\"")) {
                wrong(sbom, "is not an SBOM of this module and version");
            }
            if (json.contains("\"serialNumber\"")) {
                wrong(sbom, "has a serial number, which is random");
            }
            if (json.contains("-SNAPSHOT")) {
                wrong(sbom, "names a snapshot");
            }
        }
    }

    // ---- poms

    private void pom(String module) {
        Path file = file(module, ".pom");
        Element pom = read(file);
        List<Element> chain = chain(pom);
        if (chain.size() > 1 && !value(pom, "parent", "groupId").equals(GROUP)) {
            wrong(file, "has a parent of another group");
        }
        String group = first(chain, "groupId");
        String artifact = value(pom, "artifactId");
        String declared = first(chain, "version");
        if (!group.equals(GROUP) || !artifact.equals(module) || !declared.equals(this.version)) {
            wrong(file, "has the coordinates " + group + ":" + artifact + ":" + declared);
        }
        for (String name : List.of("name", "description")) {
            if (value(pom, name).isBlank()) {
                wrong(file, "has no <" + name + ">");
            }
        }
        metadata(file, chain, "url");
        metadata(file, chain, "licenses", "license", "name");
        metadata(file, chain, "licenses", "license", "url");
        metadata(file, chain, "developers", "developer", "name");
        metadata(file, chain, "scm", "connection");
        metadata(file, chain, "scm", "developerConnection");
        metadata(file, chain, "scm", "url");
        for (String name : List.of("repositories", "pluginRepositories")) {
            if (pom.getElementsByTagName(name).getLength() > 0) {
                wrong(file, "has <" + name + ">");
            }
        }
        for (Element element : elements(pom)) {
            String text = direct(element);
            if (text.endsWith("-SNAPSHOT")) {
                wrong(file, "has a snapshot in <" + element.getTagName() + ">");
            }
            if (element.getTagName().equals("systemPath")
                    || element.getTagName().equals("scope") && text.equals("system")) {
                wrong(file, "has a dependency of the scope system");
            }
            if (element.getTagName().matches("version|groupId|artifactId")) {
                Matcher unknown = PLACEHOLDER.matcher(resolve(text, chain));
                // a property of the command line is right in a plugin alone
                if (unknown.find() && !isBelow(element, "plugins")) {
                    wrong(file, "has ${" + unknown.group(1) + "}, which neither it nor its parents define");
                }
            }
        }
        for (Element dependency : dependencies(pom)) {
            String id = id(dependency, chain);
            boolean reaches = !value(dependency, "scope").matches("test|provided");
            if (reaches && id.startsWith(GROUP + ":") && !this.modules.contains(id.substring(GROUP.length() + 1))) {
                wrong(file, "needs " + id + ", which is not published");
            }
            if (reaches && version(dependency, chain).isEmpty()) {
                wrong(file, "has no version for " + id + ", neither itself nor by what it imports");
            }
        }
    }

    /** A value that is missing is wrong; one of a test is open. */
    private void metadata(Path file, List<Element> chain, String... path) {
        String name = String.join("/", path);
        String value = chain.stream()
                .map(pom -> value(pom, path))
                .filter(text -> !text.isBlank())
                .findFirst()
                .orElse("");
        if (value.isEmpty()) {
            wrong(file, "has no <" + name + ">, neither itself nor by its parents");
        } else if (value.contains(TEST_HOST) || value.equals("Rehearsal")) {
            this.open.add("<" + path[0] + "> has values of a test; the real ones belong into the pom of " + BOM);
        }
    }

    private void bom() {
        Path file = file(BOM, ".pom");
        if (!Files.exists(file)) {
            return;
        }
        Element bom = read(file);
        List<Element> chain = chain(bom);
        Set<String> managed = new TreeSet<>();
        for (Element dependency : list(bom, "dependencyManagement", "dependencies", "dependency")) {
            managed.add(id(dependency, chain).replace(GROUP + ":", ""));
            if (!resolve(value(dependency, "version"), chain).equals(this.version)) {
                wrong(file, "manages another version of " + id(dependency, chain));
            }
        }
        Set<String> expected = new TreeSet<>(this.modules);
        expected.removeAll(Set.of(BOM, PARENT));
        if (!managed.equals(expected)) {
            wrong(file, "manages " + managed + ", and not " + expected);
        }
        if (!list(bom, "dependencies", "dependency").isEmpty() || chain.size() > 1) {
            wrong(file, "brings more than managed versions");
        }
    }

    /**
     * As Gradle and Maven read poms, compile is on the class path of those who compile against a module, runtime is
     * not.
     */
    private void compilePath() {
        Set<String> reached = new TreeSet<>();
        reach(STARTER, reached);
        if (!reached.contains(CORE)) {
            this.problems.add(STARTER + " does not bring " + CORE + " to the class path for compilation, only " + reached);
        }
    }

    private void reach(String module, Set<String> reached) {
        Path file = file(module, ".pom");
        if (!Files.exists(file)) {
            return;
        }
        Element pom = read(file);
        for (Element dependency : dependencies(pom)) {
            String id = id(dependency, chain(pom));
            if (gradle(dependency).equals("api") && id.startsWith(GROUP + ":")) {
                String next = id.substring(GROUP.length() + 1);
                if (reached.add(next)) {
                    reach(next, reached);
                }
            }
        }
    }

    /** Prints what Gradle takes from the poms: api for compilation and run, runtime for the run alone. */
    private void printDependencies() {
        for (String module : this.modules) {
            Path file = file(module, ".pom");
            if (!Files.exists(file)) {
                continue;
            }
            Element pom = read(file);
            List<Element> chain = chain(pom);
            Map<String, List<String>> byScope = new LinkedHashMap<>();
            for (Element dependency : dependencies(pom)) {
                byScope.computeIfAbsent(gradle(dependency), scope -> new ArrayList<>())
                        .add(value(dependency, "artifactId") + ":" + version(dependency, chain));
            }
            byScope.remove("none");
            byScope.forEach((scope, names) -> System.out.println(module + " " + scope + ": " + String.join(" ", names)));
        }
    }

    private static String gradle(Element dependency) {
        String scope = value(dependency, "scope");
        if (value(dependency, "optional").equals("true")) {
            return "none (optional)";
        }
        return switch (scope) {
            case "", "compile" -> "api";
            case "runtime" -> "runtime";
            default -> "none";
        };
    }

    /** What no file can prove. */
    private void openSteps() {
        this.open.add("the group id " + GROUP + " must be proven on the page of the Central Publisher Portal");
        if (!Stream.of("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS").map(Path::of).anyMatch(Files::exists)) {
            this.open.add("there is no CODEOWNERS");
        }
        Path config = Path.of(".github/ISSUE_TEMPLATE/config.yml");
        if (!Files.exists(config) || !text(config).contains("contact_links:")) {
            this.open.add("there is no place for questions in contact_links of " + config);
        }
    }

    // ---- models

    /** Returns the pom and its parents, as far as they are staged. */
    private List<Element> chain(Element pom) {
        List<Element> chain = new ArrayList<>(List.of(pom));
        String parent = value(pom, "parent", "artifactId");
        while (!parent.isEmpty()) {
            Path file = file(parent, ".pom");
            if (!Files.exists(file)) {
                this.problems.add("the parent " + parent + " is not staged");
                break;
            }
            Element next = read(file);
            chain.add(next);
            parent = value(next, "parent", "artifactId");
        }
        return chain;
    }

    private String first(List<Element> chain, String name) {
        return chain.stream()
                .map(pom -> value(pom, name))
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Replaces the placeholders that the poms of a chain define. */
    private String resolve(String text, List<Element> chain) {
        String result = text;
        for (int depth = 0; depth < 5 && result.contains("${"); depth++) {
            result = PLACEHOLDER.matcher(result).replaceAll(found -> Matcher.quoteReplacement(
                    switch (found.group(1)) {
                        case "project.version" -> first(chain, "version");
                        case "project.groupId" -> first(chain, "groupId");
                        default -> chain.stream()
                                .map(pom -> value(pom, "properties", found.group(1)))
                                .filter(value -> !value.isEmpty())
                                .findFirst()
                                .orElse(found.group());
                    }));
        }
        return result;
    }

    /**
     * Returns the version of a dependency: its own, or what the poms of the chain manage or import; empty if there is
     * none.
     */
    private String version(Element dependency, List<Element> chain) {
        String own = resolve(value(dependency, "version"), chain);
        return own.isEmpty() ? managed(id(dependency, chain), chain, 0) : own;
    }

    private String managed(String id, List<Element> chain, int depth) {
        List<Element> imports = new ArrayList<>();
        for (Element pom : chain) {
            for (Element entry : list(pom, "dependencyManagement", "dependencies", "dependency")) {
                if (value(entry, "scope").equals("import")) {
                    imports.add(entry);
                } else if (id(entry, chain).equals(id)) {
                    return resolve(value(entry, "version"), chain);
                }
            }
        }
        for (Element entry : imports) {
            String found = depth < 5 ? managed(id, chainOf(entry, chain), depth + 1) : "";
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    /** Returns an imported pom with its parents, from the local repository: the build has needed them, too. */
    private List<Element> chainOf(Element imported, List<Element> chain) {
        List<Element> result = new ArrayList<>();
        String group = resolve(value(imported, "groupId"), chain);
        String artifact = value(imported, "artifactId");
        String version = resolve(value(imported, "version"), chain);
        while (!artifact.isEmpty()) {
            Path folder = this.localRepository.resolve(Path.of(group.replace('.', '/'), artifact, version));
            Path file = folder.resolve(artifact + "-" + version + ".pom");
            if (!Files.exists(file)) {
                break;
            }
            Element pom = read(file);
            result.add(pom);
            group = value(pom, "parent", "groupId");
            artifact = value(pom, "parent", "artifactId");
            version = value(pom, "parent", "version");
        }
        return result;
    }

    private String id(Element dependency, List<Element> chain) {
        return resolve(value(dependency, "groupId"), chain) + ":" + value(dependency, "artifactId");
    }

    private static List<Element> dependencies(Element pom) {
        return list(pom, "dependencies", "dependency");
    }

    private Element read(Path file) {
        return this.poms.computeIfAbsent(file, CheckStaged::parse);
    }

    private static Element parse(Path file) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(text(file))))
                    .getDocumentElement();
        } catch (Exception ex) {
            throw new IllegalStateException(file + " is not XML", ex);
        }
    }

    private static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static List<Element> elements(Element parent) {
        return children(parent).stream()
                .flatMap(child -> Stream.concat(Stream.of(child), elements(child).stream()))
                .toList();
    }

    private static List<Element> list(Element parent, String... path) {
        List<Element> found = List.of(parent);
        for (String name : path) {
            found = found.stream()
                    .flatMap(element -> children(element).stream())
                    .filter(element -> element.getTagName().equals(name))
                    .toList();
        }
        return found;
    }

    private static String value(Element parent, String... path) {
        List<Element> found = list(parent, path);
        return found.isEmpty() ? "" : direct(found.get(0));
    }

    /** Returns the text of an element without that of its children. */
    private static String direct(Element element) {
        StringBuilder text = new StringBuilder();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node.getNodeType() == Node.TEXT_NODE) {
                text.append(node.getNodeValue());
            }
        }
        return text.toString().strip();
    }

    private static boolean isBelow(Element element, String name) {
        for (Node node = element; node instanceof Element parent; node = node.getParentNode()) {
            if (parent.getTagName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    // ---- files

    private Path file(String module, String kind) {
        return file(this.repository, module, this.version, kind);
    }

    private static Path file(Path repository, String module, String version, String kind) {
        return repository.resolve(
                Path.of(GROUP.replace('.', '/'), module, version, module + "-" + version + kind));
    }

    private void wrong(Path file, String text) {
        wrong(this.repository.relativize(file).toString(), text);
    }

    private void wrong(String file, String text) {
        this.problems.add(file + " " + text);
    }

    private static Set<String> files(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> folder.relativize(path).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns the names of the files in a jar but those that tools add. */
    private static Set<String> entries(Path jar, String suffix) {
        if (!Files.exists(jar)) {
            return Set.of();
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(suffix) && !name.startsWith("META-INF/"))
                    .collect(Collectors.toSet());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String digest(Path file, String algorithm) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    // ---- self-test

    /** A fault of a copy of the repository, and a part of what the check must say then. */
    private record Fault(String expected, String module, String kind, Change change) {}

    @FunctionalInterface
    private interface Change {
        void apply(Path file) throws IOException;
    }

    private static final List<Fault> FAULTS = List.of(
            core("has the coordinates", ".pom", "<artifactId>lock-starter-core</artifactId>", "<artifactId>c</artifactId>"),
            bom("has the coordinates", "<groupId>io.github.lockstarter</groupId>\n  <artifactId>lock-starter-bom", "<groupId>com.example</groupId>\n  <artifactId>lock-starter-bom"),
            core("has a snapshot in <version>", ".pom", "</version>", "-SNAPSHOT</version>"),
            core("has no <name>", ".pom", "<name>[^<]*</name>", ""),
            core("has no <description>", ".pom", "<description>[^<]*</description>", ""),
            bom("has no <url>", "\n  <url>[^<]*</url>", ""),
            bom("has no <licenses/license/name>", "(?s)<licenses>.*</licenses>", ""),
            bom("has no <licenses/license/url>", "(?s)(<license>.*)<url>[^<]*</url>(.*</license>)", "$1$2"),
            bom("has no <developers/developer/name>", "(?s)<developers>.*</developers>", ""),
            bom("has no <scm/connection>", "<connection>[^<]*</connection>", ""),
            bom("has no <scm/developerConnection>", "<developerConnection>[^<]*</developerConnection>", ""),
            bom("has no <scm/url>", "(?s)(<scm .*)<url>[^<]*</url>(.*</scm>)", "$1$2"),
            core("has <repositories>", ".pom", "</project>", "<repositories/></project>"),
            core("has <pluginRepositories>", ".pom", "</project>", "<pluginRepositories/></project>"),
            core("has a dependency of the scope system", ".pom", "<scope>test</scope>", "<scope>system</scope>"),
            core("has a parent of another group", ".pom", "(<parent>\\s*<groupId>)[^<]*", "$1com.example"),
            core("is not published", ".pom", "(lock-starter-test-support</artifactId>\\s*)<scope>test</scope>", "$1"),
            core("which neither it nor its parents define", ".pom", "(<artifactId>lincheck</artifactId>\\s*<version>)[^<]*", "$1\\${lincheck}"),
            core("has no version for", ".pom", "<artifactId>spring-aop</artifactId>", "<artifactId>spring-aap</artifactId>"),
            new Fault("the parent lock-starter-parent is not staged", PARENT, ".pom", Files::delete),
            core("is missing", "-sources.jar", Files::delete),
            core("is missing", "-javadoc.jar.asc", Files::delete),
            core("is missing", ".jar.sha512", Files::delete),
            core("must not be published", ".jar", file -> Files.copy(file, Path.of(file + ".old"))),
            core("has another MD5", ".jar", CheckStaged::append),
            core("has another SHA-1", ".jar", CheckStaged::append),
            core("has another SHA-256", ".jar", CheckStaged::append),
            core("has another SHA-512", ".jar", CheckStaged::append),
            core("has a signature that gpg does not accept", "-cyclonedx.json", CheckStaged::append),
            core("has no contents", "-sources.jar", CheckStaged::empty),
            core("has no contents, or no index.html", "-javadoc.jar", CheckStaged::empty),
            new Fault("has no contents, or no index.html", STARTER, "-javadoc.jar", CheckStaged::empty),
            core("LockRegistry.java", "-sources.jar", file -> remove(file, "io/github/lockstarter/LockRegistry.java")),
            core("is not an SBOM of this module", "-cyclonedx.json", "lock-starter-core", "lock-starter-cure"),
            core("has a serial number", "-cyclonedx.json", "\"bomFormat\"", "\"serialNumber\" : \"1\", \"bomFormat\""),
            core("names a snapshot", "-cyclonedx.json", "\"CycloneDX\"", "\"CycloneDX\", \"a\" : \"1-SNAPSHOT\""),
            bom("manages [", "<artifactId>lock-starter-jdbc</artifactId>", "<artifactId>lock-starter-jdbd</artifactId>"),
            bom("manages another version", "<version>\\$\\{project.version}</version>", "<version>9</version>"),
            bom("brings more than managed versions", "</project>", "<dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>"),
            new Fault(
                    "does not bring lock-starter-core to the class path",
                    STARTER,
                    ".pom",
                    file -> replace(file, "(lock-starter-autoconfigure</artifactId>)", "$1<scope>runtime</scope>")));

    private static Fault core(String expected, String kind, Change change) {
        return new Fault(expected, CORE, kind, change);
    }

    private static Fault core(String expected, String kind, String regex, String replacement) {
        return core(expected, kind, file -> replace(file, regex, replacement));
    }

    private static Fault bom(String expected, String regex, String replacement) {
        return new Fault(expected, BOM, ".pom", file -> replace(file, regex, replacement));
    }

    private static void replace(Path file, String regex, String replacement) throws IOException {
        String before = Files.readString(file);
        String after = Pattern.compile(regex).matcher(before).replaceAll(replacement);
        if (before.equals(after)) {
            throw new IllegalStateException("The fault " + regex + " changes nothing in " + file);
        }
        Files.writeString(file, after);
    }

    private static void append(Path file) throws IOException {
        byte[] before = Files.readAllBytes(file);
        byte[] after = Arrays.copyOf(before, before.length + 1);
        Files.write(file, after);
    }

    private static void empty(Path jar) throws IOException {
        rewrite(jar, name -> name.startsWith("META-INF/"));
    }

    private static void remove(Path jar, String removed) throws IOException {
        rewrite(jar, name -> !name.equals(removed));
    }

    private static void rewrite(Path jar, Predicate<String> kept) throws IOException {
        Path result = Path.of(jar + ".new");
        try (ZipFile zip = new ZipFile(jar.toFile());
                ZipOutputStream output = new ZipOutputStream(Files.newOutputStream(result))) {
            for (ZipEntry entry : zip.stream().filter(e -> kept.test(e.getName())).toList()) {
                output.putNextEntry(new ZipEntry(entry.getName()));
                output.write(zip.getInputStream(entry).readAllBytes());
            }
        }
        Files.move(result, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean selfTest(Path repository, Function<Path, Set<String>> check)
            throws IOException {
        if (!check.apply(repository).isEmpty()) {
            System.err.println("The repository is wrong before a fault: run the check without --self-test");
            return false;
        }
        boolean passed = true;
        for (Fault fault : FAULTS) {
            Path copy = Files.createTempDirectory("staged");
            try {
                for (String name : files(repository)) {
                    Path target = copy.resolve(name);
                    Files.createDirectories(target.getParent());
                    Files.copy(repository.resolve(name), target);
                }
                String module = fault.module();
                String version = only(repository.resolve(Path.of(GROUP.replace('.', '/'), module)));
                Path file = file(copy, module, version, fault.kind());
                fault.change().apply(file);
                Set<String> found = check.apply(copy);
                if (found.stream().noneMatch(problem -> problem.contains(fault.expected()))) {
                    System.err.println("Not found: " + module + fault.kind() + " " + fault.expected() + ", but " + found);
                    passed = false;
                }
            } finally {
                delete(copy);
            }
        }
        System.out.println(FAULTS.size() + " faults" + (passed ? " were found" : ", and not all were found"));
        return passed;
    }

    private static String only(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.findFirst().orElseThrow().getFileName().toString();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
