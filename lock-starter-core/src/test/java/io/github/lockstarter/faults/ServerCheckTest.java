package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
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

    /** Of what is missing, other than that locks fail. */
    private static final Map<String, String> CONSEQUENCES =
            Map.of("+publish", "poll", "+pubsub|numsub", "two poll intervals", "&lock:inbox:*", "poll");

    private static final Pattern LINE = Pattern.compile("'ACL SETUSER " + RestrictedUser.NAME + " ([^']+)'");

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

    private String ruleWithKeys(String patterns) {
        return this.user.rule().replace("~lock:*", patterns);
    }

    static Stream<String> probed() {
        return RestrictedUser.permissions().stream()
                .filter(permission -> permission.matches("[+~&].*") && !permission.startsWith("+client"))
                .filter(permission ->
                        !Set.of("+ping", "+subscribe", "+unsubscribe", "+info").contains(permission));
    }

    @ParameterizedTest
    @MethodSource("probed")
    void shouldSayAtTheStartWhatIsMissing(String permission) {
        assumeThat(this.user.rule()).as("the rule for this server").contains(permission);

        startWith(this.user.without(permission));

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + ' ' + permission + "'")
                .contains(CONSEQUENCES.getOrDefault(permission, "locks fail"));
    }

    /** Without the permission to run the script or to access its key, what else it needs is not known. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "+hget +hmget +hgetall +pttl +time +publish",
                "+evalsha +pexpire &lock:inbox:*",
                "~lock:* +evalsha",
                "+eval +evalsha"
            })
    void shouldSayAllThatIsMissingAtOnce(String permissions) {
        startWith(this.user.without(permissions.split(" ")));

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .satisfies(message -> assertThat(LINE.matcher(message).results())
                        .singleElement()
                        .extracting(line -> Set.of(line.group(1).split(" ")))
                        .isEqualTo(Set.of(permissions.split(" "))));
    }

    @Test
    void shouldSayThatTheVersionOfTheFormatIsNotPermitted() throws Exception {
        Instance instance =
                this.user.grant(ruleWithKeys("~lock:{* ~lock:instance:*")).start(this.instances, this.proxy);

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + " ~lock:format'")
                .contains("incompatible version")
                .doesNotContain("locks fail");
        assertThat(instance.acquire("allowed").release()).isTrue();
        assertThat(this.log.with("")).hasSize(1);
        assertThat(this.redis.exists("lock:format")).isFalse();
    }

    /** Valkey 9.1 and newer limit users to databases. */
    @Test
    void shouldSayThatTheDatabaseIsMissing() {
        String rule = this.user.rule() + " resetdbs";
        assumeThatCode(() -> this.user.grant(rule)).doesNotThrowAnyException();

        startWith(rule);

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + " db=0'");
    }

    @Test
    void shouldLeaveNothingBehindThatItMayNotRemove() {
        startWith(this.user.without("+pexpire", "+del", "+hdel"));

        assertThat(this.redis.keys()).isEmpty();
    }

    /** Between two commands, if it sends them one by one. */
    @Test
    void shouldLeaveNothingBehindWhenItIsCutOff() {
        this.proxy.swallowRequestOf(command -> command.get(0).equalsIgnoreCase("PEXPIRE"), this.proxy::cutRst);

        startWith(this.user.rule());

        assertThat(this.redis.keys()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void shouldWarnOfAServerThatEvictsLocks(String policy) {
        this.redis.command("CONFIG", "SET", "maxmemory-policy", policy);
        try {
            startWith(this.user.rule());
        } finally {
            this.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        }

        assertThat(this.log.with("may evict locks"))
                .singleElement()
                .asString()
                .contains("maxmemory-policy is " + policy);
    }
}
