package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LoggedNames;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The warning for a lock that cannot be released after its transaction. */
class TransactionBoundLocksTest {

    private static final String HOSTILE = "order\r\n2026-01-01 ERROR forged\u001b[2J\u202E:alice";

    private final Logger logger = (Logger) LoggerFactory.getLogger(BoundLock.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        this.logger.setLevel(Level.WARN);
        this.logger.setAdditive(false);
        this.lines.start();
        this.logger.addAppender(this.lines);
    }

    @AfterEach
    void stopListening() {
        this.logger.detachAppender(this.lines);
        this.logger.setAdditive(true);
        this.logger.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLogOneLineWithOrWithoutTheKey(LoggedNames names) {
        TransactionBoundLocks kept = new TransactionBoundLocks();
        kept.hold(registryOf(broken()), LockRequest.of(HOSTILE), names);

        kept.afterCompletion(0);

        assertThat(this.lines.list)
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
