package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock that is released without a connection runs out, and the release arrives when it is somebody else's. */
@RedisTest
class LateReleaseTest {

    private static final String KEY = "lock:{late}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisServer server;

    private final RedisCli redis;

    LateReleaseTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.server = server;
        this.redis = redis;
        Script.loadAll(redis);
    }

    /** Over the application's connection the client keeps the command until there is one; over ours we do. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotFreeTheLockOfTheSuccessor(boolean privateConnection) throws Exception {
        Instance instance =
                this.instances.at(this.proxy, setup -> privateConnection ? setup : setup.sharedConnection());
        Instance other = this.instances.at(this.server, setup -> setup.lease(Duration.ofSeconds(30)));
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        this.proxy.refuse();
        this.proxy.cutRst();
        this.proxy.forgetCommands();
        Call<Boolean> release = Call.start(lease::release);
        Lease successor = other.registry().acquire(LockRequest.of("late").withWaitTime(LIMIT));
        String owner = this.redis.hgetall(KEY).get("o");
        try (RedisMonitor monitor = RedisMonitor.of(this.server)) {
            this.proxy.accept();
            soon().until(() -> monitor.count(Script.RELEASE, KEY) > 0);
        }

        assertThat(release.result()).as("ours until then").isTrue();
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", owner);
        assertThat(this.proxy.commandsSeen(Script.RENEW))
                .as("nothing is renewed that is released")
                .isZero();
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.active()).isZero();
        assertThat(successor.release()).as("nobody freed it").isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }
}
