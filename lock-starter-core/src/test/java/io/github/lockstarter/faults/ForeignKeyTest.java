package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where a lock should be, somebody else has data of his own. */
@RedisTest
class ForeignKeyTest {

    private static final String KEY = "lock:{foreign}";

    enum Data {
        TEXT("SET %s theirs"),
        LIST("RPUSH %s theirs"),
        SET("SADD %s theirs"),
        SORTED_SET("ZADD %s 1 theirs"),
        STREAM("XADD %s 1-1 data theirs"),
        HASH("HSET %s data theirs");

        private final String command;

        Data(String command) {
            this.command = command;
        }

        void writeTo(RedisCli redis) {
            redis.command(this.command.formatted(KEY).split(" "));
        }
    }

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final Instance instance;

    ForeignKeyTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.instance = this.instances.at(server, Setup::calm);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSaySoAndTouchNothing(Data data) {
        data.writeTo(this.redis);
        Object before = this.redis.command("DUMP", KEY);
        LeaseLock lock = this.instance.lock("foreign");

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure)
                .hasMessageContaining("'foreign'")
                .hasMessageContaining("belongs to something else")
                .hasMessageContaining("key-prefix");
        assertThat(failure.isOutcomeUnknown()).isFalse();
        assertThat(failure.isTransient()).isFalse();
        assertThat(this.redis.command("DUMP", KEY)).isEqualTo(before);
        assertThat(this.redis.pttl(KEY)).as("it still does not run out").isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotWaitForWhatWillNotChange(Data data) {
        data.writeTo(this.redis);
        LeaseLock lock = this.instance.lock("foreign");
        long askedAt = System.nanoTime();

        LockStoreException failure =
                catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMinutes(1)));
        LockStoreException unlimited = catchThrowableOfType(LockStoreException.class, lock::lock);

        assertThat(failure.isTransient()).isFalse();
        assertThat(unlimited.isTransient()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - askedAt)).isLessThan(Duration.ofSeconds(5));
    }
}
