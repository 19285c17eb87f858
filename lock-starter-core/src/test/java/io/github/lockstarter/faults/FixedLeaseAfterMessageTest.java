package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lease of a fixed length that begins with a message: it lasts as long as was asked for, and is renewed at most once. */
@RedisTest
class FixedLeaseAfterMessageTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofMillis(1500);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    FixedLeaseAfterMessageTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(
                proxy,
                setup -> setup.lease(Duration.ofSeconds(3), Duration.ofMillis(300))
                        .pollInterval(POLL)
                        .commandTimeout(Duration.ofSeconds(1)));
    }

    /** Shorter than the lease of a grant from the line (3 s), and than the age of the last proof; and longer. */
    @ParameterizedTest
    @CsvSource({"500, 0", "500, 700", "2500, 0", "2500, 700", "4000, 0", "4000, 700"})
    void shouldLastAsLongAsWasAskedFor(long leaseMillis, long ageOfProof) throws Exception {
        Duration fixed = Duration.ofMillis(leaseMillis);
        LockRequest request = LockRequest.of(SilentOwner.NAME)
                .withWaitTime(LockRequest.FOREVER)
                .withLease(fixed);
        CompletableFuture<Lease> waiting =
                this.instance.registry().acquireAsync(request).toCompletableFuture();
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();
        long provenAt = System.nanoTime();
        soon().until(() -> System.nanoTime() - provenAt >= TimeUnit.MILLISECONDS.toNanos(ageOfProof));
        try (LogCapture log = new LogCapture()) {
            long publishedAt = System.nanoTime();
            this.owner.publish(this.owner.release());

            Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            soon().until(() -> !lease.isHeld());

            assertThat(Duration.ofNanos(System.nanoTime() - publishedAt))
                    .isGreaterThan(fixed.multipliedBy(7).dividedBy(10))
                    .isLessThan(fixed.plusMillis(400));
            soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
            assertThat(this.instance.events().all(LockLostEvent.class).get(0).reason())
                    .isEqualTo(LossReason.EXPIRED);
            assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY)) + this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)))
                    .as("commands that set the lease")
                    .isEqualTo(1);
            assertThat(log.with("waits for its store")).isEmpty();
        }
        soon().until(() -> !this.redis.exists(KEY));
    }
}
