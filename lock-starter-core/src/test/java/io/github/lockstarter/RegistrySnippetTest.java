package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code that the manual shows for the registry compiles in a method that declares no exception. */
class RegistrySnippetTest {

    private static final Pattern JAVA = Pattern.compile("```java\n(.+?)```", Pattern.DOTALL);

    private static final String METHOD = """
            package shop;

            import io.github.lockstarter.*;
            import java.time.Duration;

            class Snippet {

                private LockRegistry lockRegistry;

                void ordinary(String orderId) {
                    %s
                }

                private void settle(String orderId, long token) {}

                private long countOpen(String orderId) {
                    return 0;
                }
            }
            """;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "README.zh-CN.md"})
    void shouldCompileInAnOrdinaryMethod(String manual, @TempDir Path directory) throws Exception {
        List<String> snippets = JAVA.matcher(Files.readString(Path.of("..", manual)))
                .results()
                .map(MatchResult::group)
                .filter(snippet -> snippet.contains("lockRegistry."))
                .toList();
        assertThat(snippets).hasSize(1);
        String body = snippets.get(0).replace("```java", "").replace("```", "");
        Path source = Files.writeString(directory.resolve("Snippet.java"), METHOD.formatted(body));

        StringWriter problems = new StringWriter();
        boolean compiles = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        problems,
                        null,
                        null,
                        List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", directory.toString()),
                        null,
                        ToolProvider.getSystemJavaCompiler()
                                .getStandardFileManager(null, null, null)
                                .getJavaFileObjects(source))
                .call();

        assertThat(compiles).as(problems.toString()).isTrue();
    }
}
