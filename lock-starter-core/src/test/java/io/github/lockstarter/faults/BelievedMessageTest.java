package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A message about a grant is the grant: a renewal follows, and no acquire command. */
@RedisTest
class BelievedMessageTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(4);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    BelievedMessageTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(proxy, setup -> SilentOwner.polling(setup, POLL));
    }

    @Test
    void shouldNeedNoAcquire() throws Exception {
        CompletableFuture<Lease> waiting = this.instance.waitFor(SilentOwner.NAME);
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();

        SilentOwner.Message message = this.owner.release();
        this.owner.publish(message);

        Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(lease.fencingToken()).isEqualTo(message.fencingToken());
        assertThat(lease.release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        // none if the release came first
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isLessThanOrEqualTo(1);
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isZero();
        assertThat(this.instance.events().handOvers(Kind.REMOTE)).isEqualTo(1);
    }
}
