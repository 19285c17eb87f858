package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Crowd;
import io.github.lockstarter.testsupport.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three instances, four threads each, few locks, and a network that breaks several times a second. */
@Tag("full")
class ChaosTest extends FaultFixture {

    private static final Duration DURATION = Duration.ofSeconds(10);

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final int INSTANCES = 3;

    private static final int THREADS = 4;

    private final List<FaultProxy> proxies = new ArrayList<>();

    @AfterEach
    void closeProxies() {
        this.proxies.forEach(FaultProxy::close);
    }

    @Test
    void shouldExcludeOrderAndServeAll() {
        try (Crowd crowd = new Crowd(List.of("contended:0", "contended:1", "contended:2"))) {
            for (int i = 0; i < INSTANCES; i++) {
                FaultProxy proxy = FaultProxy.inFrontOf(this.server.port());
                this.proxies.add(proxy);
                crowd.join(
                        this.instances.at(proxy, setup -> setup.lease(LEASE).commandTimeout(Duration.ofMillis(300))),
                        THREADS);
            }
            long until = System.nanoTime() + DURATION.toNanos();
            int faults = 0;
            for (; System.nanoTime() - until < 0; faults++) {
                breakSomething(this.proxies.get(ThreadLocalRandom.current().nextInt(INSTANCES)));
                crowd.awaitGrants(ThreadLocalRandom.current().nextInt(2, 15));
            }

            assertThat(faults).isGreaterThan(10);
            assertThat(crowd.overlaps()).isEmpty();
            assertThat(crowd.disorder()).isEmpty();
            assertThat(crowd.losses()).as("no hold is longer than a moment").isZero();
        }
        assertThatNothingIsLeft();
    }

    private void assertThatNothingIsLeft() {
        // what a lost reply has left is taken back, or runs out
        within(LEASE.plusSeconds(3)).until(() -> this.redis.keys().isEmpty());
        this.proxies.forEach(FaultProxy::forgetCommands);
        long since = System.nanoTime();
        soon().until(() -> System.nanoTime() - since > LEASE.toNanos());
        for (FaultProxy proxy : this.proxies) {
            assertThat(proxy.commandsSeen(Script.RENEW))
                    .as("renewals without a lease")
                    .isZero();
        }
        assertThat(this.redis.keys()).isEmpty();
    }

    private void breakSomething(FaultProxy proxy) {
        switch (ThreadLocalRandom.current().nextInt(7)) {
            case 0 -> proxy.cutRst();
            case 1 -> proxy.cutFin();
            case 2 -> proxy.swallowReplyOf(Script.ACQUIRE, proxy::cutRst);
            case 3 -> proxy.swallowReplyOf(Script.RELEASE, proxy::cutFin);
            case 4 -> proxy.swallowReplyOf(Script.ACQUIRE, () -> {});
            case 5 -> proxy.swallowRequestOf(Script.RELEASE, proxy::cutRst);
            default -> this.redis.command("SCRIPT", "FLUSH");
        }
    }
}
