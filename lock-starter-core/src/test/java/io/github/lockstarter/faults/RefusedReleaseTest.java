package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A release that the server refuses grants nothing, and no waiter believes that it did. */
@Tag("redis")
class RefusedReleaseTest {

    private static final String KEY = "lock:{refused}";

    @AutoClose
    private final RedisServer server = RedisServer.start();

    @AutoClose
    private final RedisCli redis = this.server.cli();

    @AutoClose
    private final Instances instances = new Instances();

    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(20))
                .commandTimeout(Duration.ofSeconds(2));
    }

    @Test
    void shouldGrantTheLockOnceTheServerIsAMasterAgain() throws Exception {
        Instance owner = this.instances.at(this.server, RefusedReleaseTest::patient);
        Instance waiting = this.instances.at(this.server, RefusedReleaseTest::patient);
        Lease lease = owner.acquire("refused");
        CompletableFuture<Lease> next = waiting.registry()
                .acquireAsync(LockRequest.of("refused").withWaitTime(LIMIT))
                .toCompletableFuture();
        WaitingLine.awaitLength(this.redis, KEY, 1);
        String before = this.redis.hgetall(KEY).get("o");
        this.redis.command("REPLICAOF", "127.0.0.1", "1");
        this.redis.command("CONFIG", "RESETSTAT");

        boolean unused = lease.release();

        assertThat(this.redis.infoCommandStats()).containsKey("evalsha").doesNotContainKey("publish");
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", before);
        assertThat(next).isNotDone();
        assertThat(waiting.active()).isZero();

        this.redis.command("REPLICAOF", "NO", "ONE");
        Lease granted = next.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(granted.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(granted.release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(waiting.events().count(LockLostEvent.class)).isZero();
    }
}
