package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A module may keep the components of its records to itself; their text is checked all the same. */
class HiddenRecordTest {

    @Test
    void shouldCheckTheTextAlone(@TempDir Path directory) throws Exception {
        Class<?> orders = module(
                directory,
                "module-info.java",
                "module shop { exports shop; }",
                "shop/hidden/Order.java",
                "package shop.hidden; public record Order(Object id) {}",
                "shop/Orders.java",
                "package shop; public class Orders {"
                        + " public static Object of(Object id) { return new shop.hidden.Order(id); } }");
        Object stable = orders.getMethod("of", Object.class).invoke(null, "a");
        Object unstable = orders.getMethod("of", Object.class).invoke(null, new Object());

        assertThat(StableText.of(stable)).isEqualTo("Order[id=a]");
        assertThatThrownBy(() -> StableText.of(unstable))
                .isInstanceOf(UnstableTextException.class)
                .hasMessageContaining("a value of type shop.hidden.Order, whose text contains \"java.lang.Object@");
    }

    private static Class<?> module(Path directory, String... sources) throws IOException, ClassNotFoundException {
        for (int i = 0; i < sources.length; i += 2) {
            Path file = directory.resolve("src").resolve(sources[i]);
            Files.createDirectories(file.getParent());
            Files.writeString(file, sources[i + 1]);
        }
        Path classes = directory.resolve("classes");
        Stream<String> options = Stream.of("-proc:none", "-d", classes.toString());
        try (Stream<Path> files = Files.walk(directory.resolve("src"))) {
            String[] arguments = Stream.concat(
                            options, files.map(Path::toString).filter(name -> name.endsWith(".java")))
                    .toArray(String[]::new);
            assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments))
                    .isZero();
        }
        ModuleLayer boot = ModuleLayer.boot();
        Configuration shop = boot.configuration().resolve(ModuleFinder.of(classes), ModuleFinder.of(), Set.of("shop"));
        return ModuleLayer.defineModulesWithOneLoader(shop, List.of(boot), HiddenRecordTest.class.getClassLoader())
                .layer()
                .findLoader("shop")
                .loadClass("shop.Orders");
    }
}
