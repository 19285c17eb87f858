package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The password of the Redis user is changed while locks are held, and connections with the old one are closed. */
@RedisTest
class PasswordTest {

    private static final String USER = "rotating";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    PasswordTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @BeforeEach
    void createUser() {
        this.redis.command("ACL", "SETUSER", USER, "reset", "on", ">first", "~*", "&*", "+@all");
    }

    @AfterEach
    void deleteUser() {
        this.redis.command("ACL", "DELUSER", USER);
    }

    private Instance instance(UnaryOperator<Setup> setup) {
        return this.instances.at(this.server, each -> setup.apply(each.user(USER, "first")));
    }

    private void change(String password) {
        this.redis.command("ACL", "SETUSER", USER, "resetpass", ">" + password);
        this.redis.command("CLIENT", "KILL", "USER", USER);
    }

    @Test
    void shouldLoseTheLockAtTheDeadline() throws Exception {
        Instance instance = instance(setup -> setup);
        Instance other = this.instances.at(this.server);
        Lease lease = instance.registry().acquire(LockRequest.of("guarded"));
        change("second");
        Call<Boolean> successor = Call.start(() -> {
            Lease next = other.registry().acquire(LockRequest.of("guarded").withWaitTime(LIMIT));
            return !lease.isHeld() && next.fencingToken() > lease.fencingToken();
        });

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);

        soon().until(() -> instance.events().count(LockLostEvent.class) == 1);
        assertThat(instance.events().count(LockAtRiskEvent.class)).isPositive();
        assertThat(successor.result()).isTrue();
        LeaseLock lock = instance.lock("another");
        LockStoreException failure =
                catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMillis(300)));
        assertThat(failure.isTransient()).as("somebody may put it right").isTrue();
        assertThat(failure)
                .hasMessageContaining("WRONGPASS")
                .hasMessageContaining("Redis at 127.0.0.1:" + this.server.port())
                .hasMessageContaining("spring.data.redis.username and password");
        change("first");
        assertThat(lock.tryLock(LIMIT)).as("works again").isTrue();
        lock.unlock();
    }

    @Test
    void shouldKeepTheLockIfThePasswordIsPutRightInTime() throws Exception {
        Instance instance = instance(Setup::calm);
        Lease lease = instance.registry().acquire(LockRequest.of("guarded"));
        change("second");
        soon().until(() -> lease.state() == State.AT_RISK);

        change("first");

        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
    }
}
