package io.github.lockstarter.docstests.configuration;

import io.github.lockstarter.autoconfigure.DistributedLockProperties;
import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The properties in fences exist and can be bound: those of locks to their class, and all others are in the metadata of
 * libraries or in a placeholder of the page.
 */
public final class ConfigurationFences implements ManualCheck {

    private static final String PREFIX = "distributed-lock";

    /** Properties of other modules. */
    private static final List<String> OTHERS = List.of(PREFIX + ".jdbc.", PREFIX + ".leader.", PREFIX + ".ui.");

    /** The last part of a property in the message of a failure. */
    private static final Pattern NAME = Pattern.compile("distributed-lock[\\w.\\[\\]-]*?([\\w-]+)\\]?[' ,]");

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            page.fences("yaml").forEach(fence -> check(page, fence, new YamlPropertySourceLoader(), problems));
            page.fences("properties")
                    .forEach(fence -> check(page, fence, new PropertiesPropertySourceLoader(), problems));
        }
        return problems;
    }

    private static void check(Page page, Fence fence, PropertySourceLoader loader, List<Problem> problems) {
        try {
            byte[] text = fence.text().getBytes(StandardCharsets.UTF_8);
            for (PropertySource<?> document : loader.load("fence", new ByteArrayResource(text))) {
                bind(document);
                names(document).stream()
                        .filter(name ->
                                !isOfLocks(name) && !Metadata.get().isProperty(name) && !isPlaceholder(page, name))
                        .forEach(name ->
                                problems.add(Problem.at(page, line(fence, name), "there is no property " + name)));
            }
        } catch (IOException | RuntimeException ex) {
            String message = message(ex);
            int line = NAME.matcher(message)
                    .results()
                    .map(name -> line(fence, name.group(1)))
                    .findFirst()
                    .orElse(fence.line());
            problems.add(Problem.at(page, line, message));
        }
    }

    private static boolean isOfLocks(String name) {
        return name.startsWith(PREFIX + ".") && !isOfOtherModule(name);
    }

    private static boolean isOfOtherModule(String name) {
        return OTHERS.stream().anyMatch(name::startsWith);
    }

    /** Returns whether code of the page refers to a property, which then is one of the reader. */
    private static boolean isPlaceholder(Page page, String name) {
        return page.lines().stream().anyMatch(line -> line.contains("${" + name));
    }

    private static void bind(PropertySource<?> document) {
        Map<String, Object> own = new HashMap<>();
        names(document).stream()
                .filter(name -> !isOfOtherModule(name))
                .forEach(name -> own.put(name, document.getProperty(name)));
        Binder binder = new Binder(
                ConfigurationPropertySources.from(new MapPropertySource("own", own)),
                new PropertySourcesPlaceholdersResolver(List.<PropertySource<?>>of(document)));
        binder.bind(
                PREFIX,
                Bindable.of(DistributedLockProperties.class),
                new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    private static List<String> names(PropertySource<?> document) {
        return document instanceof EnumerablePropertySource<?> enumerable
                ? List.of(enumerable.getPropertyNames())
                : List.of();
    }

    /** Returns the line of the last part of a name, which is as near as the text shows. */
    private static int line(Fence fence, String name) {
        return fence.pageLineOf(name.substring(name.lastIndexOf('.') + 1));
    }

    private static String message(Throwable failure) {
        StringBuilder message = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            message.append(message.isEmpty() ? "" : ": ")
                    .append(String.valueOf(cause.getMessage()).replaceAll("\\s*\n\\s*", " "));
        }
        return message.toString();
    }
}
