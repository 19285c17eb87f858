package io.github.lockstarter.spec;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The main class of the processes of {@link ModelChecker}. Reads one path of a configuration a line, and writes the
 * output of TLC.
 */
final class CheckingProcess {

    /** The line after the output for one configuration. */
    static final String END = "--- end of the output of TLC";

    private CheckingProcess() {}

    public static void main(String[] args) throws Exception {
        URL[] tlc = {new File(args[0]).toURI().toURL()};
        Path scratch = Path.of(args[1]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        for (String path = input.readLine(); path != null; path = input.readLine()) {
            // Classes of their own for each configuration, because TLC keeps its state in static fields.
            try (URLClassLoader classes = new URLClassLoader(tlc, ClassLoader.getPlatformClassLoader())) {
                check(path, Files.createTempDirectory(scratch, "states"), classes);
            } catch (ReflectiveOperationException ex) {
                ex.printStackTrace(System.out);
            }
            System.out.println(END);
            System.out.flush();
        }
        // TLC leaves threads behind that would keep the process alive.
        System.exit(0);
    }

    private static void check(String path, Path states, ClassLoader classes) throws ReflectiveOperationException {
        PrintStream output = System.out;
        classes.loadClass("util.ToolIO").getField("out").set(null, output);
        classes.loadClass("util.ToolIO").getField("err").set(null, output);
        String file = Path.of(path).getFileName().toString();
        String[] arguments = {
            // Other modules are compiled and tested at the same time.
            "-workers",
            "1",
            // A state in which nothing is left to do is no error.
            "-deadlock",
            "-metadir",
            states.toString(),
            "-config",
            path,
            file.substring(0, file.indexOf('.'))
        };
        Class<?> tlc = classes.loadClass("tlc2.TLC");
        Object checker = tlc.getConstructor().newInstance();
        if ((Boolean) tlc.getMethod("handleParameters", String[].class).invoke(checker, (Object) arguments)) {
            tlc.getMethod("process").invoke(checker);
        }
    }
}
