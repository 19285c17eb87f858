package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM has the modules that are published, and nothing that it would bring along. */
class PublishedModulesTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern MODULE = Pattern.compile("<module>([\\w./-]+)</module>");

    private static final Pattern MANAGED = Pattern.compile(
            "<dependency>\\s*<groupId>io\\.github\\.lockstarter</groupId>\\s*<artifactId>([\\w.-]+)</artifactId>\\s*<version>");

    @Test
    void shouldAllBeInTheBom() throws IOException {
        String bom = pom("extensions/lock-starter-bom");
        List<String> managed = all(MANAGED, bom);
        List<String> published = all(MODULE, Files.readString(ROOT.resolve("pom.xml"))).stream()
                .filter(module -> !module.endsWith("/lock-starter-bom"))
                .filter(module -> !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>"))
                .map(module -> module.substring(module.indexOf('/') + 1))
                .toList();

        assertThat(managed).containsExactlyInAnyOrderElementsOf(published);
        assertThat(bom).doesNotContain("<parent>", "<scope>import</scope>");
        assertThat(version(bom)).isEqualTo(version(Files.readString(ROOT.resolve("pom.xml"))));
    }

    private static String pom(String module) {
        try {
            return Files.readString(ROOT.resolve(module).resolve("pom.xml"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static String version(String pom) {
        return all(Pattern.compile("<version>([^<]+)</version>"), pom).get(0);
    }
}
