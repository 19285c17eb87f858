package io.github.lockstarter.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.function.Function;

/** Runs code as if some jars were not there at all, which a filtering class loader can only pretend. */
final class IsolatedClassPath {

    private IsolatedClassPath() {}

    /** Runs a class of the tests with a fresh class path; what it is given and returns crosses as text. */
    static String run(Class<? extends Function<String, String>> type, String input, String... withoutJars) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(classPathWithout(withoutJars), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            @SuppressWarnings("unchecked")
            Function<String, String> isolated = (Function<String, String>)
                    loader.loadClass(type.getName()).getDeclaredConstructor().newInstance();
            return isolated.apply(input);
        } catch (IOException | ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL[] classPathWithout(String... jars) {
        // Surefire may start with a single jar whose manifest has the class path.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(classPath.split(File.pathSeparator))
                .map(File::new)
                .filter(file -> Arrays.stream(jars).noneMatch(file.getName()::startsWith))
                .map(IsolatedClassPath::url)
                .toArray(URL[]::new);
    }

    private static URL url(File file) {
        try {
            return file.toURI().toURL();
        } catch (MalformedURLException ex) {
            throw new IllegalArgumentException(ex);
        }
    }
}
