package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name that comes from outside cannot write lines of its own into the log, nor hide or turn round what is in one. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LogForgeryTest {

    private static final String FORGERY = "1'\r\n2026-01-01 ERROR forged\u001b[2J\u0085\u2028\u2029\u202E\u2066\u200B";

    private static final String HOSTILE_KEY = "order:" + FORGERY;

    private static final String HOSTILE_NAME = FORGERY + ":42";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    LogForgeryTest(FaultProxy proxy) {
        this.proxy = proxy;
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
            assertThat(log.all().stream().flatMap(String::lines)).allSatisfy(LogForgeryTest::isHarmless);
        }
    }

    @Test
    void shouldBeOneLineOfAListenerThatFails() throws Exception {
        LockListener broken = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                throw new IllegalStateException("broken", new RuntimeException("by " + event));
            }
        };
        Instance instance = this.instances.at(this.proxy, setup -> setup.calm().listener(broken));
        try (LogCapture log = new LogCapture()) {
            instance.lock(HOSTILE_NAME).lock();

            soon().until(() -> !log.with(broken.getClass().getName()).isEmpty());
            assertThat(log.with("forged")).isNotEmpty();
            assertThat(log.all().stream().flatMap(String::lines)).allSatisfy(LogForgeryTest::isHarmless);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {HOSTILE_KEY, HOSTILE_NAME})
    void shouldBeOneLineInAnException(String name) throws Exception {
        Instance instance = this.instances.at(this.proxy);
        Instance other = this.instances.at(this.proxy);
        LeaseLock lock = instance.lock(name);
        isHarmless(catchThrowable(lock::unlock).getMessage());
        isHarmless(catchThrowable(lock::newCondition).getMessage());
        isHarmless(catchThrowable(() -> LockRequest.of(name).withWaitTime(Duration.ofDays(-1)))
                .getMessage());
        lock.lock();
        isHarmless(catchThrowable(() -> instance.acquire(name)).getMessage());
        LockNotGrantedException taken = catchThrowableOfType(
                LockNotGrantedException.class,
                () -> other.registry().acquire(LockRequest.of(name).withWaitTime(Duration.ZERO)));
        lock.unlock();
        this.proxy.refuse();
        this.proxy.cutRst();
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        isHarmless(taken.getMessage());
        isHarmless(failure.getMessage());
    }

    @Test
    void shouldBeOneLineInTheTextOfALock() throws Exception {
        Instance instance = this.instances.at(this.proxy, Setup::calm);

        isHarmless(instance.lock(HOSTILE_KEY).toString());
        isHarmless(instance.acquire(HOSTILE_NAME).toString());
        isHarmless(LockRequest.of(HOSTILE_NAME).toString());
    }

    /** Stack traces are indented by tabs. */
    private static void isHarmless(String line) {
        assertThat(line.strip().codePoints()).as(line).noneMatch(LogForgeryTest::isUnsafe);
        assertThat(line).doesNotStartWith("2026-01-01");
    }

    private static boolean isUnsafe(int codePoint) {
        return Character.isISOControl(codePoint)
                || Character.getType(codePoint) == Character.LINE_SEPARATOR
                || Character.getType(codePoint) == Character.PARAGRAPH_SEPARATOR
                || Character.getType(codePoint) == Character.FORMAT;
    }
}
