package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application that is prepared at build time: its bean definitions and proxies are generated code. */
@Timeout(180)
class LeaderAotTest {

    private static final List<String> ARGUMENTS = List.of(
            "--distributed-lock.store=memory",
            "--distributed-lock.leader.roles.feed.auto-start=false",
            "--distributed-lock.leader.roles.feed.watchdog-timeout=7s");

    @Test
    void shouldLeadWithWhatWasGenerated(@TempDir Path directory) throws Exception {
        Path sources = directory.resolve("sources");
        Path resources = directory.resolve("resources");
        Path classes = directory.resolve("classes");
        SpringApplicationAotProcessor.main(Stream.concat(
                        Stream.of(LeaderAotApplication.class.getName()),
                        Stream.concat(
                                Stream.of(sources, resources, classes, "group", "artifact")
                                        .map(Object::toString),
                                ARGUMENTS.stream()))
                .toArray(String[]::new));
        compile(sources, classes);

        assertThat(texts(resources))
                .as("hints for native images")
                .contains("LeaderAotApplication$Jobs", "\"poll\"", "org.springframework.context.SmartLifecycle");
        assertThat(files(classes, "LeaderAotApplication$Jobs$$SpringCGLIB$$0.class"))
                .hasSize(1);
        assertThat(output(classes, resources))
                .contains("before: null, stopped; after: the lease, running; 7 s, generated true");
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> line = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp"));
        line.add(classes + File.pathSeparator + System.getProperty("java.class.path"));
        files(sources, ".java").forEach(file -> line.add(file.toString()));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, line.toArray(String[]::new)))
                .isZero();
    }

    /** Returns what the application prints in a JVM of its own. */
    private static String output(Path classes, Path resources) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", "-Dspring.aot.enabled=true", "-cp"));
        line.add(String.join(
                File.pathSeparator, classes.toString(), resources.toString(), System.getProperty("java.class.path")));
        line.add(LeaderAotApplication.class.getName());
        line.addAll(ARGUMENTS);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    private static String texts(Path directory) throws IOException {
        StringBuilder texts = new StringBuilder();
        for (Path file : files(directory, ".json")) {
            texts.append(Files.readString(file));
        }
        return texts.toString();
    }
}
