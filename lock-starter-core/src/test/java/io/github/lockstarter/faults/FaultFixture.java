package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;

import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** The instances of a test, the server that they use, which knows all scripts, and the network in front of it. */
@RedisTest
abstract class FaultFixture {

    /** For leases that do not end in a test, and for polls that do not come. */
    static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    final Instances instances = new Instances();

    FaultProxy proxy;

    RedisServer server;

    RedisCli redis;

    @BeforeEach
    void connect(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.server = server;
        this.redis = redis;
        // A test with a black hole leaves connections in it.
        proxy.cutRst();
        Script.loadAll(redis);
    }

    /** So long that a key which is gone did not expire, and with commands that do not end by themselves. */
    static Setup longLease(Setup setup) {
        return setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofSeconds(5));
    }

    /** Nothing but a message lets an owner or a waiter notice something. */
    static Setup messagesOnly(Setup setup) {
        return setup.lease(Duration.ofMinutes(10))
                .commandTimeout(Duration.ofSeconds(5))
                .withoutPolling();
    }

    /** Returns when the instance of the id receives messages. */
    void awaitListening(String id) {
        soon().until(() -> Channel.all(this.redis).contains(Channel.of(id)));
    }

    /** Returns the id of the exclusive owner of a key. */
    String ownerOf(String key) {
        return this.redis.hgetall(key).get("o");
    }

    static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }
}
