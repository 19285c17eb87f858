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
import java.util.List;
import java.util.stream.IntStream;
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
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The properties in fences exist and can be bound: those of locks to their class, and those of Spring Boot are in the
 * metadata of its modules.
 */
public final class ConfigurationFences implements ManualCheck {

    private static final String PREFIX = "distributed-lock";

    private static final List<String> OF_SPRING_BOOT = List.of("spring.", "management.");

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            page.fences("yaml").forEach(fence -> check(page, fence, new YamlPropertySourceLoader(), problems));
            page.fences("properties").forEach(fence -> check(page, fence, new PropertiesPropertySourceLoader(), problems));
        }
        return problems;
    }

    private static void check(Page page, Fence fence, PropertySourceLoader loader, List<Problem> problems) {
        try {
            byte[] text = fence.text().getBytes(StandardCharsets.UTF_8);
            for (PropertySource<?> document : loader.load("fence", new ByteArrayResource(text))) {
                bind(document);
                names(document).stream()
                        .filter(name -> OF_SPRING_BOOT.stream().anyMatch(name::startsWith))
                        .filter(name -> !Metadata.get().isProperty(name))
                        .forEach(name -> problems.add(
                                Problem.at(page, line(fence, name), "Spring Boot has no property " + name)));
            }
        } catch (IOException | RuntimeException ex) {
            problems.add(Problem.at(page, fence.line(), message(ex)));
        }
    }

    private static void bind(PropertySource<?> document) {
        Binder binder = new Binder(
                ConfigurationPropertySources.from(document), new PropertySourcesPlaceholdersResolver(List.<PropertySource<?>>of(document)));
        binder.bind(PREFIX, Bindable.of(DistributedLockProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    private static List<String> names(PropertySource<?> document) {
        return document instanceof EnumerablePropertySource<?> enumerable
                ? List.of(enumerable.getPropertyNames())
                : List.of();
    }

    /** Returns the line of the last part of a name, which is as near as text can tell. */
    private static int line(Fence fence, String name) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return IntStream.range(0, fence.code().size())
                .filter(i -> fence.code().get(i).contains(last))
                .map(fence::pageLine)
                .findFirst()
                .orElse(fence.line());
    }

    private static String message(Throwable failure) {
        StringBuilder message = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            message.append(message.isEmpty() ? "" : ": ").append(String.valueOf(cause.getMessage()).replaceAll("\\s*\n\\s*", " "));
        }
        return message.toString();
    }
}
