package io.github.lockstarter.testsupport;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** See {@link NeverRepeated}. */
public final class NeverRepeatedExtension implements BeforeEachCallback, TestWatcher {

    /** Ids of the tests that have failed. Static, because Surefire repeats tests in the same JVM, in another run of JUnit. */
    private static final Set<String> FAILED = ConcurrentHashMap.newKeySet();

    @Override
    public void beforeEach(ExtensionContext context) {
        if (FAILED.contains(context.getUniqueId())) {
            throw new AssertionError("Failed before in this build, and is not repeated: see the first failure of "
                    + context.getRequiredTestClass().getName() + ", " + context.getDisplayName());
        }
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        FAILED.add(context.getUniqueId());
    }
}
