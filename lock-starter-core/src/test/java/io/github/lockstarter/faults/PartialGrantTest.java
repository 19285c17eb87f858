package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.Waiting;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user who may write a lock but not give it an end: what the script had written must not stay for ever. */
@RedisTest
class PartialGrantTest {

    private static final String USER = "partial";

    private static final String KEY = "lock:{endless}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    PartialGrantTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void deleteUser() {
        this.redis.command("ACL", "DELUSER", USER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-pexpire", "-pexpire -del"})
    void shouldLeaveNoKeyThatNeverEnds(String missing) throws Exception {
        this.redis.command(("ACL SETUSER " + USER + " reset on nopass ~* &* +@all " + missing).split(" "));
        Instance restricted =
                this.instances.at(this.server, setup -> setup.calm().user(USER));
        Instance other = this.instances.at(this.server, Setup::calm);
        LeaseLock lock = restricted.lock("endless");

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure).hasMessageContaining("missing permission");
        soon().until(() -> this.redis.pttl(KEY) != -1);
        assertThat(other.lock("endless").tryLock(Waiting.LIMIT))
                .as("nobody has it")
                .isTrue();
        other.lock("endless").unlock();
    }
}
