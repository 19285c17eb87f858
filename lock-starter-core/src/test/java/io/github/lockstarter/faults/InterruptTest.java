package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A thread that is interrupted while a command is on its way leaves nothing behind in Redis, and harms no other thread.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class InterruptTest extends FaultFixture {

    private static final String KEY = "lock:{wanted}";

    @AutoClose
    private final Actor caller = new Actor("caller");

    private Instance instance;

    private Instance other;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.proxy, InterruptTest::patient);
        this.other = this.instances.at(this.server, InterruptTest::patient);
        this.proxy.forgetCommands();
    }

    /** A stop waits for the commands that a test holds back. */
    private static Setup patient(Setup setup) {
        return setup.lease(LONG).commandTimeout(Duration.ofSeconds(10));
    }

    private LeaseLock lock() {
        return this.instance.lock("wanted");
    }

    @Test
    void shouldTakeBackWhatWasGrantedMeanwhile() throws Exception {
        try (Hold reply = this.proxy.holdReply(Script.ACQUIRE)) {
            CompletableFuture<Boolean> call = this.caller.start(() -> lock().tryLock(LIMIT));
            reply.awaitReached(LIMIT);
            assertThat(this.redis.exists(KEY)).isTrue();

            this.caller.interrupt();

            assertThat(failureOf(call)).isInstanceOf(InterruptedException.class);
            soon().until(() -> !this.redis.exists(KEY));
        }
        assertThatNothingIsLeft();
    }

    @Test
    void shouldNotMakeTheConnectionSuspect() throws Exception {
        long accepted = this.proxy.connectionsAccepted();
        CompletableFuture<Boolean> call;
        try (Hold reply = this.proxy.holdReply(Script.ACQUIRE)) {
            call = this.caller.start(() -> {
                lock().lock();
                boolean interrupted = Thread.interrupted();
                lock().unlock();
                return interrupted;
            });
            reply.awaitReached(LIMIT);
            this.caller.interrupt();
            soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE) >= 2);
            soon().during(Duration.ofMillis(50)).until(() -> this.proxy.commandsSeen(Commands.named("PING")) == 0);
        }

        assertThat(get(call)).isTrue();
        assertThat(this.proxy.connectionsAccepted()).isEqualTo(accepted);
    }

    /** Neither in this JVM nor in Redis: another thread and another instance are granted the lock at once. */
    private void assertThatNothingIsLeft() throws Exception {
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.instance.active()).isZero();
        assertThat(this.other.lock("wanted").tryLock()).isTrue();
        this.other.lock("wanted").unlock();
        assertThat(lock().tryLock()).isTrue();
        assertThat(lock().getHoldCount()).isEqualTo(1);
        lock().unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isZero();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().unlock());
    }
}
