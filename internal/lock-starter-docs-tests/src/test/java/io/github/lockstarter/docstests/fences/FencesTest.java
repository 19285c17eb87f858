package io.github.lockstarter.docstests.fences;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencesTest {

    @Test
    void shouldReportFencesOfNoCheckedLanguage() {
        assertThat(problems(new Languages(), "```text\na\n```\n\n```json\n{\"a\":…}\n```"))
                .isEmpty();
        assertThat(problems(new Languages(), "```\na\n```")).hasSize(1);
        assertThat(problems(new Languages(), "```bash\na\n```")).hasSize(1);
        assertThat(problems(new Languages(), "```json\n{\"a\":}\n```")).hasSize(1);
    }

    @Test
    void shouldAcceptXml() {
        assertThat(problems(new XmlFences(), """
            ```xml
            <dependency>
              <groupId>io.github.lockstarter</groupId>
              <artifactId>lock-starter</artifactId>
              <version>0.1.0</version>
            </dependency>
            <dependency>
              <groupId>org.redisson</groupId>
              <artifactId>redisson</artifactId>
            </dependency>
            ```
            """)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a>",
                "<a><groupId>io.github.lockstarter</groupId><artifactId>lock-stater</artifactId></a>",
                "<a><groupId>io.github.lockstrater</groupId><artifactId>lock-starter</artifactId></a>",
                "<a><groupId>io.github.lockstarter</groupId><artifactId>lock-starter</artifactId><version>9</version></a>"
            })
    void shouldReportXml(String xml) {
        assertThat(problems(new XmlFences(), "```xml\n" + xml + "\n```")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "./mvnw -q -pl lock-starter-sample -am spring-boot:run     # a/comment",
                "./mvnw -Pservers -pl lock-starter,extensions/lock-starter-bom verify -Dlock.test.servers=/path/to/redis",
                "internal/lock-starter-benchmarks/run",
                "curl -X POST 'http://127.0.0.1:8080/api/events/rock/tickets'",
                "curl 'http://127.0.0.1:8080/live/stream'",
                "curl 'http://127.0.0.1:8080/actuator/locks/report:rock'",
                "curl -X POST 'http://127.0.0.1:8081/api/events/jazz?seats=10'  # --server.port=8081",
                "docker run valkey/valkey"
            })
    void shouldAcceptCommands(String command) {
        String other = "```sh\n./mvnw -Dspring-boot.run.arguments=--server.port=8081\n```\n";

        assertThat(problems(new ShellFences(), other + "```sh\n" + command + "\n```"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "./mvnw -pl lock-stater-sample verify",
                "./mvnw -Pserves verify",
                "internal/lock-starter-benchmarks/rum",
                "curl 'http://127.0.0.1:8080/api/events/rock/tickets'",
                "curl -X POST 'http://127.0.0.1:8080/api/event/rock'",
                "curl 'http://127.0.0.1:8080/actuator/lock'",
                "curl 'http://127.0.0.1:8089/actuator/locks'"
            })
    void shouldReportCommands(String command) {
        assertThat(problems(new ShellFences(), "```sh\ntrue\n" + command + "\n```"))
                .singleElement()
                .asString()
                .startsWith("3: ");
    }
}
