package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Descriptions in Redis. */
@RedisTest
class RedisInstancesTest extends InstancesContract {

    private static final String KEY = "lock:instance:" + BILLING.instance();

    private final RedisStores stores;

    private final RedisCli redis;

    RedisInstancesTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.stores = new RedisStores(server.port(), redis);
    }

    @Override
    LockStore newStore() {
        return this.stores.newStore();
    }

    @Override
    void awaitReachable(StoreInstance instance) {
        this.stores.awaitReachable(instance);
    }

    @AfterEach
    void close() {
        this.redis.command("CONFIG", "SET", "maxmemory", "0");
        this.stores.close();
    }

    /** Other programs and people read it. */
    @Test
    void shouldBeAHashThatExpires() {
        publish(instance("one"), BILLING, 60_000);

        assertThat(this.redis.hgetall(KEY))
                .isEqualTo(
                        Map.of("application", "billing", "host", "host-7", "pid", "4711", "started", "1700000000123"));
        assertThat(this.redis.pttl(KEY)).isBetween(50_000L, 60_000L);
    }

    @Test
    void shouldPublishOverTheConnectionOfTheApplication() {
        StoreInstance one = instance("one", this.stores.newSharingStore());

        publish(one, BILLING, 60_000);

        assertThat(find(one, BILLING.instance())).contains(BILLING);
        assertThat(this.redis.pttl(KEY)).isPositive();
    }

    @Test
    void shouldWriteAgainWhatWasDeleted() {
        StoreInstance one = instance("one");
        publish(one, BILLING, 60_000);
        this.redis.flushall();

        publish(one, BILLING, 60_000);

        assertThat(find(one, BILLING.instance())).contains(BILLING);
    }

    @Test
    void shouldPublishInAFullRedis() {
        StoreInstance one = instance("one");
        publish(one, BILLING, 10_000);
        this.redis.command("CONFIG", "SET", "maxmemory", "1");

        publish(one, BILLING, 60_000);

        assertThat(this.redis.pttl(KEY)).isGreaterThan(10_000);
        publish(one, new LockHolder("abcdefghijk", "shop", null, null, null), 60_000);
        assertThat(this.redis.pttl("lock:instance:abcdefghijk")).isPositive();
    }

    @Test
    void shouldLeaveNoKeyForEverWithoutThePermissionForIt() {
        this.redis.command("ACL", "SETUSER", "lasting", "reset", "on", ">any", "+@all", "~*", "&*", "-pexpire");
        StoreInstance one = instance("one", this.stores.newStore("lasting", "any"));

        assertThatThrownBy(() -> publish(one, BILLING, 60_000)).hasCauseInstanceOf(LockStoreException.class);

        assertThat(this.redis.exists(KEY)).isFalse();
        this.redis.command("ACL", "DELUSER", "lasting");
    }

    /** By a later version or by hand. */
    @Test
    void shouldReadWhatIsNotAsExpected() {
        StoreInstance one = instance("one");
        this.redis.command("HSET", KEY, "application", "billing", "pid", "many", "new", "x");

        assertThat(find(one, BILLING.instance()))
                .contains(new LockHolder(BILLING.instance(), "billing", null, null, null));

        this.redis.command("DEL", KEY);
        this.redis.command("SET", KEY, "x");
        assertThatThrownBy(() -> find(one, BILLING.instance())).hasCauseInstanceOf(LockStoreException.class);
    }
}
