package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An instance requests more locks at once than Redis can grant within a command timeout. */
@Timeout(120)
class OverloadTest extends FaultFixture {

    private static final int REQUESTS = 20_000;

    /** No command waits in a queue of the client until its time is over, to be sent again. */
    @Test
    void shouldSendEachCommandOnceAndKeepWhatItHolds() throws Exception {
        Instance instance = this.instances.at(
                this.server,
                setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(500))
                        .commandTimeout(Duration.ofMillis(500)));
        Lease held = instance.acquire("held");
        this.redis.command("CONFIG", "RESETSTAT");
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            all.add(instance.registry()
                    .acquireAsync(LockRequest.of("burst", Integer.toString(i)).withWaitTime(LONG))
                    .thenCompose(Lease::releaseAsync));
        }
        for (CompletableFuture<Boolean> each : all) {
            assertThat(get(each)).isTrue();
        }

        Map<String, Long> calls = this.redis.infoCommandStats();
        assertThat(calls.getOrDefault("evalsha", 0L))
                .as("an acquire and a release each, and renewals; the first call of a script may contain its text")
                .isBetween(2L * REQUESTS - 10, 2L * REQUESTS + REQUESTS / 10);
        assertThat(instance.events().count(LockLostEvent.class)).as("losses").isZero();
        assertThat(held.release()).isTrue();
    }
}
