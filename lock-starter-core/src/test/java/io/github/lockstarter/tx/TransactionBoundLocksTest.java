package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.text.LoggedNames;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The warning for a lock that cannot be released after its transaction. */
class TransactionBoundLocksTest {

    private static final String HOSTILE = "order\r\n2026-01-01 ERROR forged\u001b[2J\u202E:alice";

    @AutoClose
    private final LogCapture lines = new LogCapture(TransactionBoundLocks.class, Level.WARN);

    @ParameterizedTest
    @EnumSource
    void shouldLogOneLineWithOrWithoutTheKey(LoggedNames names) {
        TransactionBoundLocks kept = new TransactionBoundLocks();
        kept.hold(
                registryOf(broken()),
                LockRequest.of(HOSTILE),
                LockSettings.of(Duration.ofSeconds(30)).withLogKeys(names == LoggedNames.WITH_KEYS));

        kept.afterCompletion(0);

        assertThat(this.lines.events())
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("'" + names.of(HOSTILE) + "'", "no answer\\u000A")
                        .matches(text -> text.chars().noneMatch(Character::isISOControl))
                        .matches(text -> text.contains("alice") == (names == LoggedNames.WITH_KEYS)));
    }

    private static LockRegistry registryOf(LeaseLock lock) {
        return (LockRegistry) Proxy.newProxyInstance(
                LockRegistry.class.getClassLoader(),
                new Class<?>[] {LockRegistry.class},
                (proxy, method, arguments) -> lock);
    }

    private static LeaseLock broken() {
        return (LeaseLock) Proxy.newProxyInstance(
                LeaseLock.class.getClassLoader(), new Class<?>[] {LeaseLock.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getHoldCount")) {
                        return 2;
                    }
                    if (method.getName().equals("lock")) {
                        return null;
                    }
                    throw new IllegalStateException("no answer\n");
                });
    }
}
