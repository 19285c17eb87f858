package io.github.lockstarter.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs a short history of each library. Not in each build, because each library takes ten seconds to start and end. */
class FaultComparisonIT {

    @TempDir
    private Path directory;

    @Test
    @Tag("soak")
    @Timeout(900)
    void shouldReportEachLibrary() throws Exception {
        Path report = this.directory.resolve("report.md");

        FaultComparison.run("--seconds=2", "--histories=1", "--output=" + report);

        assertThat(Files.readString(report))
                .contains(Stream.of(Library.values()).map(Library::label).toList());
    }
}
