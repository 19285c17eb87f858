package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A name that comes from outside cannot write lines of its own into the log. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LogForgeryTest {

    private static final String NAME = "order:1'\r\n2026-01-01 ERROR forged\u001b[2J\u0085";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    LogForgeryTest(FaultProxy proxy) {
        this.proxy = proxy;
    }

    @Test
    void shouldBeOneLineInTheLog() throws Exception {
        Instance instance = this.instances.at(this.proxy);
        try (LogCapture log = new LogCapture()) {
            Lease lease = instance.registry().acquire(LockRequest.of(NAME));
            this.proxy.refuse();
            this.proxy.cutRst();
            soon().until(() -> lease.state() == Lease.State.LOST);
            soon().until(() -> !log.with("is LOST").isEmpty());
            this.proxy.accept();
            soon().ignoreExceptions().until(() -> instance.lock("another").tryLock());
            Lease unreleased = instance.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ofSeconds(5)));
            this.proxy.refuse();
            this.proxy.cutRst();
            unreleased.release();
            soon().until(() -> !log.with("could not be released").isEmpty());

            assertThat(log.with("forged")).isNotEmpty().allSatisfy(LogForgeryTest::hasNoControlCharacters);
        }
    }

    @Test
    void shouldBeOneLineInAnException() throws Exception {
        Instance instance = this.instances.at(this.proxy);
        Instance other = this.instances.at(this.proxy);
        LeaseLock lock = instance.lock(NAME);
        lock.lock();
        LockNotGrantedException taken = catchThrowableOfType(
                LockNotGrantedException.class,
                () -> other.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ZERO)));
        lock.unlock();
        this.proxy.refuse();
        this.proxy.cutRst();
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        hasNoControlCharacters(taken.getMessage());
        hasNoControlCharacters(failure.getMessage());
    }

    private static void hasNoControlCharacters(String text) {
        assertThat(text.chars()).as(text).noneMatch(Character::isISOControl);
    }
}
