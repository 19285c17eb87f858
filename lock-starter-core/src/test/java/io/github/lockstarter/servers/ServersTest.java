package io.github.lockstarter.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.backing.RedisBinary;
import io.github.lockstarter.fixture.Remarks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

/**
 * Runs the tests whose outcome depends on the server on each server of this machine, one after the other:
 * {@code ./mvnw -Pservers verify}. {@code -Dlock.test.servers} names further servers; what the manual names and this
 * machine does not have is reported as not tested. {@code -Dlock.test.servers.line="Redis 8"} tests that line only,
 * which must then be there.
 */
@Tag("servers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServersTest {

    /** Those of the manual: a product and the begin of a version. */
    static final List<String> LINES = List.of("Redis 6.2", "Redis 7.0", "Redis 8", "Valkey 8", "Valkey 9");

    private static final String ONLY = System.getProperty("lock.test.servers.line", "");

    private final List<String> report = new ArrayList<>();

    /** A server on this machine, or a line of servers of which there is none. */
    private record Server(String name, Optional<RedisBinary> binary) {

        @Override
        public String toString() {
            return this.name;
        }
    }

    static List<Server> servers() {
        List<RedisBinary> found = RedisBinary.all();
        List<Server> servers = new ArrayList<>();
        found.forEach(binary -> servers.add(new Server(binary.name(), Optional.of(binary))));
        LINES.stream()
                .filter(line -> found.stream().noneMatch(binary -> binary.name().startsWith(line + '.')))
                .forEach(line -> servers.add(new Server(line, Optional.empty())));
        servers.removeIf(server -> !ONLY.isEmpty() && !(server.name() + '.').startsWith(ONLY + '.'));
        return servers;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void shouldPassTheTestsThatDependOnTheServer(Server server) {
        RedisBinary binary = server.binary().orElse(null);
        if (binary == null) {
            report(server, "not tested, as this machine has none: name one with -Dlock.test.servers");
            assertThat(ONLY).as("the line to test").isEmpty();
            throw new TestAbortedException("not tested");
        }

        TestRun run = TestRun.on(binary);

        report(server, run.counts() + " (" + binary.path() + ", " + binary.origin() + ')');
        if (!run.failures().isEmpty()) {
            Remarks.say(run.details());
        }
        assertThat(run.failures()).as("failed on " + server).isEmpty();
        assertThat(run.succeeded()).as("passed on " + server).isPositive();
    }

    private void report(Server server, String result) {
        this.report.add(server + ": " + result);
        Remarks.say(server + ": " + result);
    }

    @AfterAll
    void printReport() {
        Remarks.say("Tests of servers:\n  " + String.join("\n  ", this.report));
    }
}
