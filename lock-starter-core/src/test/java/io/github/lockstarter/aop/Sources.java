package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.tools.ToolProvider;

/** Compiles classes that cannot be part of this module: of other packages, or without parameter names. */
public final class Sources {

    private final Path directory;

    private final List<String> files = new ArrayList<>();

    private Sources(Path directory) {
        this.directory = directory;
    }

    public static Sources in(Path directory) {
        return new Sources(directory);
    }

    public Sources add(String className, String source) throws IOException {
        int dot = className.lastIndexOf('.');
        Path file = this.directory.resolve(className.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "package " + className.substring(0, dot) + ";\n" + source);
        this.files.add(file.toString());
        return this;
    }

    /** Compiles all of them, without {@code -parameters}. */
    public Class<?> load(String className) throws IOException, ClassNotFoundException {
        compile();
        URL[] classPath = {this.directory.toUri().toURL()};
        return new URLClassLoader(classPath, getClass().getClassLoader()).loadClass(className);
    }

    /** As {@link #load}, in a module. */
    public Class<?> load(String className, String module, String declaration)
            throws IOException, ClassNotFoundException {
        Path file = this.directory.resolve("module-info.java");
        this.files.add(Files.writeString(file, declaration).toString());
        compile();
        ModuleLayer boot = ModuleLayer.boot();
        return boot.defineModulesWithOneLoader(
                        boot.configuration()
                                .resolve(ModuleFinder.of(this.directory), ModuleFinder.of(), Set.of(module)),
                        getClass().getClassLoader())
                .findLoader(module)
                .loadClass(className);
    }

    private void compile() {
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", this.directory.toString()));
        arguments.addAll(this.files);
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).isZero();
    }
}
