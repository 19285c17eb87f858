package io.github.lockstarter.docstests.names;

import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.project.Sources;
import java.beans.Introspector;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** Types by their simple names: those of the project, of the JDK, and of the libraries that the manual mentions. */
final class KnownTypes {

    private static final List<String> PACKAGES = Resources.list("packages.txt");

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+)", Pattern.MULTILINE);

    private static final Pattern METHOD = Pattern.compile("\\b([a-z]\\w*)\\(");

    private static final Pattern ACCESSOR = Pattern.compile("^(get|set|is)(?=[A-Z])");

    /** Names of all classes outside of the JDK: a class loader looks for one that is missing in each jar. */
    private static final Set<String> CLASS_PATH = classPath();

    private static final Map<Path, KnownTypes> READ = new ConcurrentHashMap<>();

    private final Map<String, Path> sources = new HashMap<>();

    private final Set<String> methods = new TreeSet<>();

    private final Map<String, Optional<Class<?>>> loaded = new HashMap<>();

    /** Returns the types that a project at a directory knows. Its sources are read once. */
    static KnownTypes of(Path root) {
        return READ.computeIfAbsent(root, KnownTypes::new);
    }

    private KnownTypes(Path root) {
        for (Path file : Sources.of(root).code()) {
            String name = file.getFileName().toString();
            this.sources.put(name.substring(0, name.lastIndexOf('.')), file);
            METHOD.matcher(Sources.text(file)).results().forEach(call -> this.methods.add(call.group(1)));
        }
    }

    boolean isType(String simpleName) {
        return this.sources.containsKey(simpleName) || load(simpleName).isPresent();
    }

    /** Returns whether the sources declare or call a method of this name. */
    boolean isMethod(String name) {
        return this.methods.contains(name);
    }

    /** Returns the names of the members and properties of a type, or nothing if it is not on the class path. */
    Optional<Set<String>> members(String simpleName) {
        return load(simpleName).flatMap(KnownTypes::members);
    }

    private static Optional<Set<String>> members(Class<?> type) {
        try {
            return Optional.of(Stream.of(
                            Stream.of(type.getMethods()).map(Method::getName),
                            Stream.of(type.getMethods())
                                    .map(method -> Introspector.decapitalize(
                                            ACCESSOR.matcher(method.getName()).replaceFirst(""))),
                            Stream.of(type.getDeclaredMethods()).map(Method::getName),
                            Stream.of(type.getFields()).map(Field::getName),
                            Stream.of(type.getDeclaredFields()).map(Field::getName),
                            Stream.of(type.getClasses()).map(Class::getSimpleName),
                            Stream.of(type.getDeclaredClasses()).map(Class::getSimpleName))
                    .flatMap(names -> names)
                    .collect(Collectors.toSet()));
        } catch (NoClassDefFoundError ex) {
            // a type of an optional dependency in a signature
            return Optional.empty();
        }
    }

    private Optional<Class<?>> load(String simpleName) {
        return this.loaded.computeIfAbsent(
                simpleName,
                name -> Stream.concat(packageOfSource(name), PACKAGES.stream())
                        .flatMap(packageName -> find(packageName + '.' + name))
                        .findFirst());
    }

    private static Set<String> classPath() {
        Set<String> names = new HashSet<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(element);
            try {
                if (Files.isDirectory(path)) {
                    try (Stream<Path> files = Files.walk(path)) {
                        files.forEach(file -> addClass(path.relativize(file).toString(), names));
                    }
                } else if (Files.exists(path)) {
                    try (ZipFile jar = new ZipFile(path.toFile())) {
                        jar.stream().forEach(entry -> addClass(entry.getName(), names));
                    }
                }
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        return names;
    }

    private static void addClass(String file, Set<String> names) {
        if (file.endsWith(".class")) {
            names.add(file.substring(0, file.length() - ".class".length())
                    .replace('/', '.')
                    .replace('\\', '.'));
        }
    }

    private Stream<String> packageOfSource(String simpleName) {
        return Optional.ofNullable(this.sources.get(simpleName)).stream()
                .flatMap(file -> PACKAGE.matcher(Sources.text(file)).results())
                .map((MatchResult found) -> found.group(1));
    }

    private static Stream<Class<?>> find(String name) {
        if (!name.startsWith("java") && !CLASS_PATH.contains(name)) {
            return Stream.empty();
        }
        try {
            return Stream.of(Class.forName(name, false, KnownTypes.class.getClassLoader()));
        } catch (ClassNotFoundException | NoClassDefFoundError ex) {
            return Stream.empty();
        }
    }
}
