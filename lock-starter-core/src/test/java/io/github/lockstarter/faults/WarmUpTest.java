package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.WaitingLine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hand-overs of a private lock. No poll comes in the time of a test, so that only messages hand it over. */
@Timeout(120)
class WarmUpTest extends FaultFixture {

    private static final Duration PAUSE = Duration.ofMillis(1);

    private static final int ENDLESS = 1_000_000;

    private static boolean isOfWarmUp(List<String> command) {
        return command.stream().anyMatch(word -> word.startsWith("lock:{lock-starter-warm-up"));
    }

    private Instance start() {
        return this.instances.at(this.proxy, setup -> longLease(setup).pollInterval(LONG));
    }

    @Test
    void shouldHandOverByMessagesAndStayInvisible() throws Exception {
        Instance instance = start();
        long began = System.nanoTime();

        assertThat(instance.registry().warmUp(20, PAUSE)).isEqualTo(20);

        assertThat(since(began)).isLessThan(LONG);
        // The first one is found by a question while the subscription begins.
        assertThat(this.proxy.commandsSeen(Script.RENEW.and(WarmUpTest::isOfWarmUp)))
                .isGreaterThan(10);
        assertThat(this.redis.keys()).noneMatch(key -> key.contains("warm-up"));
        assertThat(instance.registry().rejectedMessages()).isZero();
        assertThat(instance.events().all()).isEmpty();
    }

    @Test
    void shouldHandNothingOverWhileALockOfTheApplicationIsAwaited() throws Exception {
        Instance owner = this.instances.at(this.server, FaultFixture::longLease);
        Instance instance = start();
        Lease held = owner.acquire("orders");
        CompletableFuture<Lease> waiting = instance.waitFor("orders");
        WaitingLine.awaitSubscribed(this.redis, "lock:{orders}", 1);

        CompletableFuture<Integer> warmUp = inThread(() -> instance.registry().warmUp(5, PAUSE));

        for (int i = 0; i < 100; i++) {
            assertThat(instance.lock("barrier").isLocked()).isFalse();
        }
        assertThat(this.proxy.commandsSeen(WarmUpTest::isOfWarmUp)).isZero();
        assertThat(instance.waiting()).isEqualTo(1);
        held.release();
        get(waiting).release();
        assertThat(get(warmUp)).isEqualTo(5);
    }

    @Test
    void shouldEndWithTheRegistry() throws Exception {
        Instance instance = start();
        CompletableFuture<Integer> warmUp = inThread(() -> instance.registry().warmUp(ENDLESS, PAUSE));
        soon().until(() -> this.proxy.commandsSeen(WarmUpTest::isOfWarmUp) > 0);

        instance.stop();

        soon().until(warmUp::isDone);
    }

    @Test
    void shouldEndWhenItIsInterrupted() throws Exception {
        Instance instance = start();
        Thread caller = Thread.currentThread();
        CompletableFuture<?> interrupting = inThread(() -> {
            soon().until(() -> this.proxy.commandsSeen(WarmUpTest::isOfWarmUp) > 0);
            caller.interrupt();
            return null;
        });

        assertThatThrownBy(() -> instance.registry().warmUp(ENDLESS, PAUSE)).isInstanceOf(InterruptedException.class);

        get(interrupting);
        assertThat(instance.acquire("orders").release()).isTrue();
    }
}
