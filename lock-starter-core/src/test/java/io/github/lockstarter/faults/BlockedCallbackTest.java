package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Blockade;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Code of the application that a lock calls on a thread of the library does not return. All other locks go on: they
 * are renewed, granted and released, and their losses are reported.
 */
@Timeout(60)
class BlockedCallbackTest extends FaultFixture {

    @AutoClose
    private final Blockade blockade = new Blockade();

    /** What does not return. */
    private enum Callback {
        LISTENER,
        APPENDER,
        STAGE_OF_A_GRANT,
        STAGE_OF_A_REFUSAL,
        STAGE_OF_A_LOSS,
        STAGE_OF_A_RELEASE
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotDelayOtherLocks(Callback callback) throws Exception {
        Instance instance = this.instances.at(
                this.server,
                setup -> setup.calm()
                        .lease(Duration.ofSeconds(12), Duration.ofMillis(100))
                        .waitTime(LONG)
                        .listener(callback == Callback.LISTENER ? new Blocking() : new LockListener() {}));
        Instance other = this.instances.at(this.server, Setup::calm);
        Lease renewed = instance.acquire("renewed");
        Lease lost = instance.acquire("lost");
        CompletableFuture<LossReason> loss = lost.lost().toCompletableFuture();
        Lease ofOther = other.acquire("passed on");
        CompletableFuture<Lease> waiting = instance.waitFor("passed on");
        Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter");
        BlockingAppender appender = new BlockingAppender();
        if (callback == Callback.APPENDER) {
            logger.setLevel(ch.qos.logback.classic.Level.WARN);
            logger.addAppender(appender);
        }
        try {
            block(callback, instance, other);
            soon().untilAsserted(() ->
                    assertThat(this.blockade.blocked()).as("blocked callbacks").isPositive());

            awaitRenewal(renewed);
            awaitRenewal(renewed);
            this.redis.command("DEL", "lock:{lost}");
            assertThat(get(loss)).as("reported loss").isEqualTo(LossReason.DELETED);
            ofOther.release();
            assertThat(get(get(waiting).releaseAsync()))
                    .as("release of the grant that was passed on")
                    .isTrue();
            assertThat(renewed.release()).as("release of the renewed lease").isTrue();
        } finally {
            logger.detachAppender(appender);
        }
    }

    /** Otherwise what is left only becomes less. */
    private static void awaitRenewal(Lease lease) {
        Duration[] left = {lease.remaining()};
        soon().untilAsserted(() -> {
            Duration before = left[0];
            left[0] = lease.remaining();
            assertThat(left[0]).as("lease after its renewal").isGreaterThan(before);
        });
    }

    private void block(Callback callback, Instance instance, Instance other) throws Exception {
        switch (callback) {
            case LISTENER, APPENDER -> {
                Lease unused = instance.acquire("of the callback");
                this.redis.command("DEL", "lock:{of the callback}");
            }
            case STAGE_OF_A_GRANT -> {
                Lease first = other.acquire("of the callback");
                CompletableFuture<?> unused =
                        instance.waitFor("of the callback").thenRun(this.blockade::block);
                first.release();
            }
            case STAGE_OF_A_REFUSAL -> {
                Lease unused = other.acquire("of the callback");
                blockAtEndOf(() -> instance.registry()
                        .acquireAsync(LockRequest.of("of the callback").withWaitTime(Duration.ofMillis(50))));
            }
            case STAGE_OF_A_LOSS -> {
                instance.acquire("of the callback").lost().thenRun(this.blockade::block);
                this.redis.command("DEL", "lock:{of the callback}");
            }
            case STAGE_OF_A_RELEASE ->
                blockAtEndOf(() -> instance.acquire("of the callback").releaseAsync());
        }
    }

    /**
     * A stage that is added to a result that is there already would block the test: then the operation starts again.
     */
    private void blockAtEndOf(Callable<CompletionStage<?>> operation) throws Exception {
        Thread test = Thread.currentThread();
        AtomicBoolean isLate = new AtomicBoolean();
        do {
            isLate.set(false);
            CompletionStage<?> unused = operation.call().whenComplete((result, error) -> {
                if (Thread.currentThread() == test) {
                    isLate.set(true);
                } else {
                    this.blockade.block();
                }
            });
        } while (isLate.get());
    }

    private final class Blocking implements LockListener {

        @Override
        public void lost(LockLostEvent event) {
            BlockedCallbackTest.this.blockade.block();
        }
    }

    private final class BlockingAppender extends AppenderBase<ILoggingEvent> {

        BlockingAppender() {
            setContext((LoggerContext) LoggerFactory.getILoggerFactory());
            start();
        }

        @Override
        protected void append(ILoggingEvent event) {
            BlockedCallbackTest.this.blockade.block();
        }
    }
}
