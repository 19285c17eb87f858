package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.LogCapture;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with a server is reported at the start, before a lock fails. */
class ServerCheckTest extends FaultFixture {

    /** Of what is missing, other than that locks fail. */
    private static final Map<String, String> CONSEQUENCES =
            Map.of("+publish", "poll", "+pubsub|numsub", "two poll intervals", "&lock:inbox:*", "poll");

    private static final Pattern LINE = Pattern.compile("'ACL SETUSER " + RestrictedUser.NAME + " ([^']+)'");

    @AutoClose
    private final LogCapture log = new LogCapture();

    private RestrictedUser user;

    @BeforeEach
    void createUser() {
        this.user = new RestrictedUser(this.redis);
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

    private Instance confirming(int replicas, String rule) {
        this.user.grant(rule);
        return this.instances.at(
                this.proxy, setup -> setup.user(RestrictedUser.NAME).confirmReplicas(replicas));
    }

    @Test
    void shouldNameTheRuleThatIsMissing() {

        Instance instance = confirming(1, this.user.rule());

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + " +wait'")
                .contains("locks fail");
        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class, () -> instance.lock("refused").tryLock(Duration.ofMinutes(1)));
        assertThat(failure.isTransient()).as("not waited for").isFalse();
        assertThat(failure).hasMessageContaining("'refused'");
    }

    @Test
    void shouldReportOnceThatThereAreTooFewReplicas() {

        Instance instance = confirming(2, this.user.rule() + " +wait");
        soon().until(() -> !this.log.with("too few replicas").isEmpty());
        assertThat(catchThrowableOfType(
                        LockStoreException.class, () -> instance.lock("refused").tryLock(Duration.ofSeconds(1))))
                .hasMessageContaining("0 of 2");

        assertThat(this.log.with("replicas"))
                .singleElement()
                .asString()
                .contains("0 of 2")
                .contains("distributed-lock.redis.confirm-replicas");
    }
}
