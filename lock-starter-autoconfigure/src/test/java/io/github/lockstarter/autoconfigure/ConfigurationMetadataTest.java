package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Lock;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.LossPolicy;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Store;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AdviceMode;

/** What an editor shows to those who type the properties. */
class ConfigurationMetadataTest {

    private static final String PREFIX = "distributed-lock.";

    private final Map<String, Map<String, Object>> properties = properties();

    @Test
    void shouldKnowEveryPropertyAndItsType() {
        Map<String, Object> types = this.properties.entrySet().stream()
                .collect(Collectors.toMap(
                        property -> property.getKey().substring(PREFIX.length()),
                        property -> property.getValue().get("type")));

        assertThat(types)
                .containsOnly(
                        entry("enabled", Boolean.class.getName()),
                        entry("mode", AdviceMode.class.getName()),
                        entry("store", Store.class.getName()),
                        entry("key-prefix", String.class.getName()),
                        entry("wait-time", Duration.class.getName()),
                        entry("on-lost", LossPolicy.class.getName()),
                        entry("locks", "java.util.Map<java.lang.String," + Lock.class.getName() + ">"),
                        entry("watchdog.timeout", Duration.class.getName()),
                        entry("watchdog.renew-interval", Duration.class.getName()),
                        entry("watchdog.max-hold", Duration.class.getName()),
                        entry("redis.command-timeout", Duration.class.getName()),
                        entry("redis.private-connection", Boolean.class.getName()),
                        entry("redis.poll-interval", Duration.class.getName()),
                        entry("redis.publish-instance", Boolean.class.getName()),
                        entry("redis.confirm-replicas", Integer.class.getName()),
                        entry("redis.messages", RedisStoreSettings.MessageMode.class.getName()),
                        entry("handoff.max-time", Duration.class.getName()),
                        entry("handoff.max-count", Integer.class.getName()),
                        entry("release", ReleaseMode.class.getName()),
                        entry("aspect.order", Integer.class.getName()),
                        entry("metrics.enabled", Boolean.class.getName()),
                        entry("observation.enabled", Boolean.class.getName()),
                        entry("log-keys", Boolean.class.getName()),
                        entry("warn-on-unlock-in-transaction", Boolean.class.getName()),
                        entry("max-waiters", Integer.class.getName()),
                        entry("warm-up", Boolean.class.getName()),
                        entry("shutdown-timeout", Duration.class.getName()));
    }

    @Test
    void shouldKnowTheDefaults() {
        Map<String, Object> defaults = this.properties.entrySet().stream()
                .filter(property -> property.getValue().containsKey("defaultValue"))
                .collect(Collectors.toMap(
                        property -> property.getKey().substring(PREFIX.length()),
                        property -> property.getValue().get("defaultValue").toString()));

        assertThat(defaults)
                .containsOnly(
                        entry("enabled", "true"),
                        entry("mode", "proxy"),
                        entry("store", "redis"),
                        entry("key-prefix", "lock"),
                        entry("wait-time", "10s"),
                        entry("on-lost", "throw"),
                        entry("watchdog.timeout", "30s"),
                        entry("redis.private-connection", "true"),
                        entry("redis.publish-instance", "true"),
                        entry("redis.confirm-replicas", "0"),
                        entry("redis.messages", "auto"),
                        entry("handoff.max-time", "10ms"),
                        entry("handoff.max-count", "64"),
                        entry("release", "await"),
                        entry("aspect.order", "2147483547"),
                        entry("metrics.enabled", "true"),
                        entry("log-keys", "true"),
                        entry("warn-on-unlock-in-transaction", "true"),
                        entry("warm-up", "false"),
                        entry("shutdown-timeout", "10s"));
    }

    /** A time without a unit is in milliseconds: each is looked at, so a new one must be, too. */
    @Test
    void shouldWarnOfEveryTimeWithoutItsUnit() {
        assertThat(this.properties.entrySet())
                .filteredOn(property -> property.getValue().get("type").equals(Duration.class.getName()))
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrderElementsOf(UnitlessTimes.TIMES);
    }

    @Test
    void shouldDescribeEveryPropertyAsSpringBootDoes() {
        assertThat(this.properties).allSatisfy((name, property) -> {
            String description = (String) property.get("description");
            assertThat(description).as(name).isNotBlank().endsWith(".").doesNotMatch("(The|A|An) .*");
            if (property.get("type").equals(Boolean.class.getName())) {
                assertThat(description).as(name).startsWith("Whether ");
            }
        });
    }

    @Test
    void shouldSayThatTheEndpointOnlyReadsUnlessItIsToldOtherwise() {
        assertThat(metadata()
                        .<List<String>>read(
                                "$.properties[?(@.name == 'management.endpoint.locks.access')].defaultValue"))
                .containsExactly("read-only");
    }

    @Test
    void shouldKnowHowToSwitchHealthOff() {
        assertThat(metadata()
                        .<List<Map<String, Object>>>read(
                                "$.properties[?(@.name == 'management.health.distributed-lock.enabled')]"))
                .singleElement()
                .satisfies(property -> assertThat(property)
                        .containsEntry("type", Boolean.class.getName())
                        .containsEntry("defaultValue", true)
                        .hasEntrySatisfying(
                                "description", text -> assertThat((String) text).startsWith("Whether ")));
    }

    /** Values that mean something else than their number, and those of enums with what they do. */
    @Test
    void shouldHintAtSpecialValues() {
        Map<String, List<String>> hints = metadata().<List<Map<String, Object>>>read("$.hints").stream()
                .collect(Collectors.toMap(
                        hint -> ((String) hint.get("name")).substring(PREFIX.length()),
                        hint -> JsonPath.<List<Object>>read(hint, "$.values[*].value").stream()
                                .map(Object::toString)
                                .toList()));

        assertThat(hints)
                .containsEntry("store", List.of("redis", "memory"))
                .containsEntry("on-lost", List.of("throw", "interrupt", "ignore"))
                .containsEntry("release", List.of("await", "background"))
                .hasEntrySatisfying("wait-time", values -> assertThat(values).contains("0", "-1"))
                .hasEntrySatisfying(
                        "watchdog.max-hold", values -> assertThat(values).contains("-1"));
        assertThat(this.properties.keySet())
                .containsAll(hints.keySet().stream().map(PREFIX::concat).toList());
    }

    /** An editor also offers the constants of the type. */
    @Test
    void shouldOfferNothingForLossesThatIsRefused() {
        assertThat(LossPolicy.values())
                .extracting(policy -> policy.name().toLowerCase(Locale.ROOT))
                .containsExactly("throw", "interrupt", "ignore");
    }

    private static Map<String, Map<String, Object>> properties() {
        return metadata().<List<Map<String, Object>>>read("$.properties").stream()
                .filter(property -> ((String) property.get("name")).startsWith(PREFIX))
                .collect(Collectors.toMap(property -> (String) property.get("name"), Function.identity()));
    }

    /** Other jars have such a file, too. */
    private static DocumentContext metadata() {
        try {
            return Collections.list(DistributedLockProperties.class
                            .getClassLoader()
                            .getResources("META-INF/spring-configuration-metadata.json"))
                    .stream()
                    .map(ConfigurationMetadataTest::parse)
                    .filter(metadata ->
                            metadata.<List<String>>read("$.groups[*].name").contains("distributed-lock"))
                    .findAny()
                    .orElseThrow();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static DocumentContext parse(URL location) {
        try (InputStream json = location.openStream()) {
            return JsonPath.parse(json);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
