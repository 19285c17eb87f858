package io.github.lockstarter.docstests.configuration;

import io.github.lockstarter.autoconfigure.DistributedLockProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The configuration metadata of all libraries on the class path. */
public final class Metadata {

    /** The settings of one lock, which the metadata has as a map. */
    public static final String NAMED = "distributed-lock.locks";

    private static final Metadata INSTANCE = new Metadata();

    private final Map<String, Property> properties = new TreeMap<>();

    private final List<String> ours = new ArrayList<>();

    /**
     * A property.
     *
     * @param name the name
     * @param type the Java type
     * @param defaultValue the default as text, empty if there is none
     */
    public record Property(String name, String type, String defaultValue) {

        boolean isMap() {
            return this.type.startsWith("java.util.Map") || this.type.equals("java.util.Properties");
        }
    }

    public static Metadata get() {
        return INSTANCE;
    }

    private Metadata() {
        try {
            ClassLoader loader = getClass().getClassLoader();
            for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
                boolean ours = url.toString().contains("lock-starter");
                try (InputStream json = url.openStream()) {
                    for (JsonNode property :
                            JsonMapper.builder().build().readTree(json).path("properties")) {
                        add(property, ours);
                    }
                }
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private void add(JsonNode property, boolean ours) {
        String name = property.path("name").asString();
        JsonNode value = property.path("defaultValue");
        this.properties.put(
                name,
                new Property(name, property.path("type").asString(""), value.isArray() ? "" : value.asString("")));
        if (ours) {
            this.ours.add(name);
        }
    }

    /** Returns the properties of this project; those of one lock are named {@code distributed-lock.locks.<name>.…}. */
    public List<Property> ours() {
        Stream<Property> named =
                settingsOfOneLock().stream().map(name -> new Property(NAMED + ".<name>." + name, "", ""));
        return Stream.concat(
                        this.ours.stream()
                                .filter(name -> !name.equals(NAMED))
                                .sorted()
                                .map(this.properties::get),
                        named)
                .toList();
    }

    /** Returns the names of all properties, of this project and of others. */
    public Set<String> names() {
        return this.properties.keySet();
    }

    /** Returns the names of the settings of one lock, such as {@code max-hold}. */
    static List<String> settingsOfOneLock() {
        return names(DistributedLockProperties.Lock.class, "").toList();
    }

    private static Stream<String> names(Class<?> type, String prefix) {
        return Stream.of(type.getRecordComponents()).flatMap(component -> {
            String name = prefix + dashed(component);
            return component.getType().isRecord() ? names(component.getType(), name + ".") : Stream.of(name);
        });
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** Returns whether this is a property, or a key of a property that is a map. */
    public boolean isProperty(String name) {
        return this.properties.containsKey(name) || mapOf(name).isPresent();
    }

    /**
     * Returns whether this is {@code distributed-lock.locks.} with the name of a setting and without that of a lock.
     */
    public boolean isSettingOfOneLock(String name) {
        return settingsOfOneLock().stream().anyMatch(setting -> name.equals(NAMED + "." + setting));
    }

    /** Returns whether this is the beginning of the names of properties, up to a dot. */
    public boolean isPrefix(String name) {
        return Stream.concat(
                        this.properties.keySet().stream(),
                        settingsOfOneLock().stream().map(s -> NAMED + "." + s))
                .anyMatch(property -> property.startsWith(name + "."));
    }

    private Optional<Property> mapOf(String name) {
        return this.properties.values().stream()
                .filter(property -> property.isMap() && name.startsWith(property.name() + "."))
                .findAny();
    }
}
