package io.github.lockstarter.faults;

import static io.github.lockstarter.faults.RestrictedUser.RULE;
import static io.github.lockstarter.faults.RestrictedUser.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with a server is said at the start, before a lock fails. */
@RedisTest
class ServerCheckTest {

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final LogCapture log = new LogCapture();

    private final RestrictedUser user;

    private final FaultProxy proxy;

    private final RedisCli redis;

    ServerCheckTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.user = new RestrictedUser(redis);
    }

    @AfterEach
    void deleteUser() {
        this.user.delete();
    }

    private void startWith(String rule) {
        this.user.grant(rule).start(this.instances, this.proxy);
    }

    static Stream<String> probed() {
        return Stream.of(RULE.split(" "))
                .filter(permission -> permission.matches("[+~&].*"))
                .filter(permission ->
                        !Set.of("+ping", "+subscribe", "+unsubscribe", "+info").contains(permission));
    }

    @ParameterizedTest
    @MethodSource("probed")
    void shouldSayAtTheStartWhatIsMissing(String permission) {
        startWith(without(permission));

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + ' ' + permission + "'")
                .contains(Set.of("+publish", "&lock:inbox:*").contains(permission) ? "poll" : "locks fail");
    }

    @Test
    void shouldSayAllThatIsMissingAtOnce() {
        startWith("resetkeys resetchannels ~lock:* -@all +ping +eval +evalsha +hset +hdel +del +pexpire");

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME
                        + " +hget +hmget +hgetall +hexists +pttl +time +publish'");
    }

    @Test
    void shouldLeaveNothingBehindOfItsQuestions() {
        startWith(RULE);

        assertThat(this.redis.command("DBSIZE")).isEqualTo(0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void shouldWarnOfAServerThatEvictsLocks(String policy) {
        this.redis.command("CONFIG", "SET", "maxmemory-policy", policy);
        try {
            startWith(RULE);
        } finally {
            this.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        }

        assertThat(this.log.with("may evict locks"))
                .singleElement()
                .asString()
                .contains("maxmemory-policy is " + policy);
    }
}
