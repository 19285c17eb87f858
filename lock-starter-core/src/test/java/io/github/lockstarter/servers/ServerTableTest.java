package io.github.lockstarter.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The manual claims the servers that are tested, and no others. */
class ServerTableTest {

    /** A line of servers, and the exact version that was tested. */
    private static final Pattern ROW =
            Pattern.compile("^\\| ((?:Redis|Valkey) [\\d.]+) \\| ([\\d.]+) \\|", Pattern.MULTILINE);

    @Test
    void shouldHaveARowForEachLineOfServersThatIsTested() throws IOException {
        List<MatchResult> rows = ROW.matcher(Files.readString(Path.of("../docs/reference/versions.md")))
                .results()
                .toList();

        assertThat(rows).extracting(row -> row.group(1)).isEqualTo(ServersTest.LINES);
        assertThat(rows).as("versions of these lines").allSatisfy(row -> {
            String line = row.group(1).substring(row.group(1).indexOf(' ') + 1);
            assertThat(row.group(2)).startsWith(line + '.');
        });
    }
}
