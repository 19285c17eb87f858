package io.github.lockstarter.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the resources and methods that the fence needs in a native image: the scripts, and the accessors of the
 * transaction managers.
 */
final class FenceHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/github/lockstarter/jdbc/schema-*.sql");
        for (String manager : FenceRegistrar.MANAGERS) {
            hints.reflection()
                    .registerTypeIfPresent(
                            classLoader,
                            manager,
                            type -> type.withMethod(FenceRegistrar.ACCESSOR, List.of(), ExecutableMode.INVOKE));
        }
    }
}
