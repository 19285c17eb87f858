package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;

/** The properties of all modules that the class path contains, whether they are enabled or not. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTest {

    private static final Pattern NAME = Pattern.compile("\"name\": \"(distributed-lock\\.[a-z.-]+)\",\\s+\"type\": \"([^\"]+)\"");

    private final ApplicationContextRunner locking = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.store=memory");

    @Test
    void shouldKnowThePropertiesOfAllModules(CapturedOutput output) throws IOException {
        Map<String, String> types = types();
        assertThat(types).containsKeys("distributed-lock.ui.path", "distributed-lock.jdbc.fence.table-name");
        String[] values = types.entrySet().stream()
                .filter(property -> property.getValue().equals("java.lang.String")
                        || property.getValue().startsWith("java.util.List"))
                .map(property -> property.getKey() + (property.getValue().endsWith(">") ? "[0]=x" : "=x"))
                .toArray(String[]::new);
        assertThat(values).as("properties that accept any text").hasSizeGreaterThan(4);

        this.locking.withPropertyValues(values).run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("has no effect");
    }

    @Test
    void shouldReportMisspelledPropertiesOfOtherModules(CapturedOutput output) {
        this.locking
                .withPropertyValues("distributed-lock.ui.pth=/locks", "distributed-lock.jdbc.fence.enabld=true")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.getOut().lines().filter(line -> line.contains("has no effect")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).contains("WARN", "the nearest is distributed-lock.ui.path."),
                        line -> assertThat(line).contains("the nearest is distributed-lock.jdbc.fence.enabled."));
    }

    private static Map<String, String> types() throws IOException {
        Map<String, String> types = new HashMap<>();
        for (URL url : Collections.list(
                UnknownPropertiesTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream stream = url.openStream()) {
                Matcher names = NAME.matcher(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
                while (names.find()) {
                    types.put(names.group(1), names.group(2));
                }
            }
        }
        return types;
    }
}
