package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Names that come from outside cannot forge lines of the log; where keys are not to be shown, messages have a digest;
 * losses are logged whatever listeners do, and locks go on whatever the log does.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
@Timeout(180)
class LogTest extends FaultFixture {

    private static final String FORGERY = "1'\r\n2026-01-01 ERROR forged\u001b[2J\u0085\u2028\u2029\u202E\u2066\u200B";

    private static final String HOSTILE_KEY = "order:" + FORGERY;

    private static final String HOSTILE_NAME = FORGERY + ":42";

    private static final String NAME = "order:alice@example.com";

    /** {@code printf %s order:alice@example.com | sha256sum}. */
    private static final String SHOWN = "order:#9b0ecf24";

    private final CountDownLatch blocked = new CountDownLatch(1);

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void unblock() {
        this.end.countDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {HOSTILE_KEY, HOSTILE_NAME})
    void shouldBeOneLineInTheLog(String name) throws Exception {
        Instance instance = this.instances.at(this.proxy);
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG)) {
            Lease lease = instance.registry().acquire(LockRequest.of(name));
            this.proxy.refuse();
            this.proxy.cutRst();
            soon().until(() -> lease.state() == Lease.State.LOST);
            soon().until(() -> !log.with("is LOST").isEmpty());
            this.proxy.accept();
            soon().ignoreExceptions().until(() -> instance.lock("another").tryLock());
            Lease unreleased = instance.registry().acquire(LockRequest.of(name).withWaitTime(Duration.ofSeconds(5)));
            this.proxy.refuse();
            this.proxy.cutRst();
            unreleased.release();
            soon().until(() -> !log.with("could not be released").isEmpty());

            assertThat(log.with("at risk")).isNotEmpty();
            assertThat(log.with("forged")).hasSizeGreaterThan(2);
            assertThat(log.all().stream().flatMap(String::lines)).allSatisfy(LogTest::isHarmless);
        }
    }

    /** Stack traces are indented by tabs. */
    private static void isHarmless(String line) {
        assertThat(line.strip().codePoints()).as(line).noneMatch(LogTest::isUnsafe);
        assertThat(line).doesNotStartWith("2026-01-01");
    }

    private static boolean isUnsafe(int codePoint) {
        return Character.isISOControl(codePoint)
                || Character.getType(codePoint) == Character.LINE_SEPARATOR
                || Character.getType(codePoint) == Character.PARAGRAPH_SEPARATOR
                || Character.getType(codePoint) == Character.FORMAT;
    }

    private Instance hiding(UnaryOperator<Setup> setup) {
        return this.instances.at(this.proxy, all -> setup.apply(all.withoutKeysInMessages()));
    }

    private static void hidesTheKey(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(Stream.iterate(thrown, each -> each != null, Throwable::getCause))
                .isNotEmpty()
                .allSatisfy(
                        each -> assertThat(String.valueOf(each.getMessage())).doesNotContain("alice"));
        assertThat(thrown).hasMessageContaining(SHOWN);
    }

    @Test
    void shouldHideKeysWhereALockIsMisusedOrHeldElsewhere() throws Exception {
        Instance instance = hiding(Setup::calm);
        Instance other = hiding(Setup::calm);
        LeaseLock lock = instance.lock(NAME);

        hidesTheKey(lock::unlock);
        hidesTheKey(lock::newCondition);
        lock.lock();
        hidesTheKey(() -> instance.acquire(NAME));
        hidesTheKey(() -> lock.currentLease().extend(LockRequest.FOREVER));
        hidesTheKey(() -> other.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ZERO)));
        assertThat(lock).hasToString("LeaseLock[" + SHOWN + "]");
        assertThat(lock.currentLease().toString()).contains(SHOWN).doesNotContain("alice");
        assertThat(lock.currentLease().name()).isEqualTo(NAME);
        assertThat(LockRequest.of(NAME)).hasToString("LockRequest[" + SHOWN + "]");
        assertThat(LockRequest.of("order")).hasToString("LockRequest[order]");
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> LockRequest.of(NAME).withWaitTime(Duration.ofDays(-1)), () -> LockRequest.of(NAME.repeat(100)))) {
            assertThat(catchThrowable(refused)).hasMessageContaining("'order'").hasMessageNotContaining("alice");
        }
    }

    @Test
    void shouldHideKeysWhenALockIsLostOrRedisIsGone() throws Exception {
        Instance instance = hiding(Setup::calm);
        try (LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG)) {
            Lease lease = instance.acquire(NAME);
            lose(lease);
            hidesTheKey(lease::ensureHeld);
            assertThat(catchThrowableOfType(LockLostException.class, lease::ensureHeld)
                            .lockName())
                    .isEqualTo(NAME);
            soon().until(() -> instance.events().count(LockLostEvent.class) == 1);
            assertThat(instance.events().all(LockLostEvent.class).get(0).lockName())
                    .isEqualTo(NAME);
            soon().until(() -> !log.with("is LOST").isEmpty());
            assertThat(log.with("is LOST")).singleElement().asString().contains("'" + SHOWN + "'");
            Lease unreleased = instance.acquire(NAME);
            this.proxy.refuse();
            this.proxy.cutRst();
            hidesTheKey(() -> instance.lock(NAME).isLocked());
            unreleased.release();
            soon().until(() -> !log.with("could not be released").isEmpty());
            assertThat(log.with("could not be released"))
                    .allSatisfy(line -> assertThat(line).contains(SHOWN));
            this.proxy.accept();
            assertThat(log.all()).noneMatch(line -> line.contains("alice"));
        }
    }

    private void block() {
        this.blocked.countDown();
        try {
            this.end.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldLogLossesWhileAListenerHangs() throws Exception {
        LockListener hung = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                block();
            }
        };
        Instance instance = this.instances.at(this.server, setup -> setup.calm().listener(hung));
        try (LogCapture log = new LogCapture()) {
            Lease first = instance.acquire("order:1");
            assertThat(this.blocked.await(20, TimeUnit.SECONDS)).isTrue();
            lose(first);
            lose(instance.acquire("order:2"));
            soon().until(() -> !log.with("'order:1'").isEmpty());
            soon().until(() -> !log.with("'order:2'").isEmpty());
            assertThat(log.with("is LOST")).hasSize(2);
        }
    }

    @Test
    @Tag("full")
    void shouldRenewAcquireAndReleaseWhileTheLogBlocks() throws Exception {
        Instance instance = this.instances.at(this.server, setup -> setup.lease(Duration.ofMillis(1500)));
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                block();
            }
        };
        Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter.registry.LoggingLockListener");
        logger.setLevel(Level.WARN);
        appender.start();
        logger.addAppender(appender);
        try {
            Lease renewed = instance.acquire("order:1");
            lose(instance.acquire("order:2"));
            assertThat(this.blocked.await(20, TimeUnit.SECONDS)).isTrue();
            lose(instance.acquire("order:3"));
            within(Duration.ofSeconds(20)).during(Duration.ofSeconds(4)).until(renewed::isHeld);
            assertThat(instance.acquire("order:3").release()).isTrue();
            assertThat(renewed.release()).isTrue();
        } finally {
            this.end.countDown();
            logger.detachAppender(appender);
            logger.setLevel(null);
        }
    }

    private void lose(Lease lease) throws Exception {
        assertThat(this.redis.command("DEL", "lock:{" + lease.name() + "}")).isEqualTo(1L);
        soon().until(() -> lease.state() == Lease.State.LOST);
    }
}
