package io.github.lockstarter.faults;

import static io.github.lockstarter.faults.RestrictedUser.RULES;
import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.Waiting;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Permissions of the Redis user, the check of the server at the start, and a password that changes. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LeastPrivilegeTest extends FaultFixture {

    private static final String USER = "other-user";

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
        this.redis.command("ACL", "LOG", "RESET");
    }

    @AfterEach
    void deleteUsers() {
        this.user.delete();
        this.redis.command("ACL", "DELUSER", USER);
    }

    private Instance instanceWith(String rule) {
        return this.user.grant(rule).start(this.instances, this.proxy);
    }

    @Test
    void shouldBeEnough() throws Exception {
        Instance instance = instanceWith(this.user.rule());
        // A server without scripts.
        this.redis.command("SCRIPT", "FLUSH");
        LeaseLock lock = instance.lock("allowed");

        assertThat(lock.tryLock()).isTrue();
        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);
        lock.lock(Duration.ofSeconds(30));
        lock.unlock();
        assertThat(lock.isLocked()).isTrue();
        lock.unlock();
        assertThat(this.redis.exists("lock:{allowed}")).isFalse();
        this.redis.command("HSET", "lock:{forced}", "o", "another", "f", "1");
        assertThat(instance.lock("forced").forceUnlock()).isTrue();
        assertThat(this.redis.exists("lock:{forced}")).isFalse();
        assertThatWaitersAreWoken(instance);
        assertThat(this.redis.hgetall("lock:format")).containsOnlyKeys("version");
        instance.stop();

        assertThat(this.log.with("")).as("no warning").isEmpty();
        assertThat((List<?>) this.redis.command("ACL", "LOG"))
                .as("nothing was refused")
                .isEmpty();
    }

    @Test
    void shouldMentionThatScriptsAreNotLoadedInAdvance() throws Exception {
        this.redis.command("SCRIPT", "FLUSH");
        try (LogCapture info = new LogCapture("io.github.lockstarter.store", Level.INFO)) {
            Instance instance = instanceWith(this.user.without("+script|exists", "+script|load"));
            soon().until(() -> !info.with("not loaded in advance").isEmpty());
            long accepted = this.proxy.connectionsAccepted();

            this.proxy.cutRst();

            soon().until(() -> this.proxy.connectionsAccepted() > accepted);
            soon().ignoreExceptions().until(() -> instance.acquire("allowed").release());
            assertThat(info.with("not loaded in advance"))
                    .as("once, and no warning")
                    .singleElement()
                    .asString()
                    .contains("NOPERM");
        }
        assertThat(this.log.with("not loaded")).isEmpty();
    }

    /** One for each line of servers. */
    @Test
    void shouldBeWhatTheManualSays() throws IOException {
        assertThat(Files.readAllLines(Path.of("../docs/reference/redis.md")))
                .filteredOn(line -> line.startsWith("ACL SETUSER"))
                .containsExactlyElementsOf(RULES.stream()
                        .map(rule -> "ACL SETUSER locks on >secret " + rule)
                        .toList());
    }

    /** By a message: polls come later. */
    private void assertThatWaitersAreWoken(Instance releasing) throws Exception {
        Instance waiting = this.instances.at(
                this.server,
                setup -> setup.calm().user(RestrictedUser.NAME).lease(LONG).pollInterval(LONG));
        LeaseLock lock = releasing.lock("handed");
        lock.lock(LONG);
        CompletableFuture<Lease> next = waiting.waitFor("handed");
        WaitingLine.awaitSubscribed(this.redis, "lock:{handed}", 1);
        lock.unlock();
        assertThat(next.get(10, TimeUnit.SECONDS).release()).isTrue();
    }

    // ---- The check at the start

    /** A busy machine may log it after the start. */
    private String reportOfMissingPermissions() {
        soon().until(() -> !this.log.with("lacks permissions").isEmpty());
        assertThat(this.log.with("lacks permissions")).hasSize(1);
        return this.log.with("lacks permissions").get(0);
    }

    private String ruleWithKeys(String patterns) {
        return this.user.rule().replace("~lock:*", patterns);
    }

    static Stream<String> probed() {
        return RestrictedUser.permissions().stream()
                .filter(permission -> permission.matches("[+~&].*") && !permission.startsWith("+client"))
                .filter(permission -> !Set.of(
                                "+ping", "+subscribe", "+unsubscribe", "+info", "+script|exists", "+script|load")
                        .contains(permission));
    }

    @ParameterizedTest
    @MethodSource("probed")
    void shouldSayAtTheStartWhatIsMissing(String permission) {
        assumeThat(this.user.rule()).as("the rule for this server").contains(permission);

        instanceWith(this.user.without(permission));

        assertThat(reportOfMissingPermissions())
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
        instanceWith(this.user.without(permissions.split(" ")));

        assertThat(reportOfMissingPermissions())
                .satisfies(message -> assertThat(LINE.matcher(message).results())
                        .singleElement()
                        .extracting(line -> Set.of(line.group(1).split(" ")))
                        .isEqualTo(Set.of(permissions.split(" "))));
    }

    @Test
    void shouldSayThatTheVersionOfTheFormatIsNotPermitted() throws Exception {
        Instance instance = instanceWith(ruleWithKeys("~lock:{* ~lock:instance:*"));

        assertThat(reportOfMissingPermissions())
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

        instanceWith(rule);

        assertThat(reportOfMissingPermissions()).contains("'ACL SETUSER " + RestrictedUser.NAME + " db=0'");
    }

    @Test
    void shouldLeaveNothingBehindThatItMayNotRemove() {
        instanceWith(this.user.without("+pexpire", "+del", "+hdel"));

        assertThat(this.redis.keys()).isEmpty();
    }

    /** Between two commands, if it sends them one by one. */
    @Test
    void shouldLeaveNothingBehindWhenItIsCutOff() {
        this.proxy.swallowRequestOf(command -> command.get(0).equalsIgnoreCase("PEXPIRE"), this.proxy::cutRst);

        instanceWith(this.user.rule());

        assertThat(this.redis.keys()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void shouldWarnOfAServerThatEvictsLocks(String policy) {
        this.redis.command("CONFIG", "SET", "maxmemory-policy", policy);
        try {
            instanceWith(this.user.rule());
            soon().until(() -> !this.log.with("may evict locks").isEmpty());
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
                this.proxy,
                setup -> setup.calm()
                        .commandTimeout(Duration.ofSeconds(1))
                        .user(RestrictedUser.NAME)
                        .confirmReplicas(replicas));
    }

    @Test
    void shouldNameTheRuleThatIsMissing() {
        Instance instance = confirming(1, this.user.rule());

        assertThat(reportOfMissingPermissions())
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
        // On a busy machine, a reply that is later than the command timeout hides the reason.
        soon().untilAsserted(() -> assertThat(catchThrowableOfType(
                        LockStoreException.class, () -> instance.lock("refused").tryLock(Duration.ofSeconds(1))))
                .hasMessageContaining("0 of 2"));
        soon().until(() -> !this.log.with("too few replicas").isEmpty());
        assertThat(this.log.with("replicas"))
                .singleElement()
                .asString()
                .contains("0 of 2")
                .contains("distributed-lock.redis.confirm-replicas");
    }

    // ---- Commands that are refused

    @ParameterizedTest
    @ValueSource(strings = {"~lock:*", "+evalsha", "+hset"})
    void shouldNameWhatIsMissing(String permission) {
        Instance instance = instanceWith(this.user.without(permission));
        this.redis.command("SCRIPT", "FLUSH");
        LeaseLock lock = instance.lock("refused");

        LockStoreException failure =
                catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMinutes(1)));

        assertThat(failure.isTransient()).as("not waited for").isFalse();
        assertThat(failure).hasMessageContaining("'refused'").hasMessageContaining("missing permission");
        if (permission.startsWith("+eval")) {
            assertThat(failure).hasMessageContaining("'" + permission.substring(1) + "'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+del", "+hmget"})
    void shouldSayWhyItCannotRelease(String permission) {
        Instance instance = instanceWith(this.user.without(permission));
        LeaseLock lock = instance.lock("stuck");
        lock.lock();

        assertThatCode(lock::unlock).doesNotThrowAnyException();

        assertThat(this.redis.exists("lock:{stuck}")).isTrue();
        soon().until(() -> !this.log.with("'stuck' could not be released").isEmpty());
        assertThat(this.log.with("'stuck' could not be released"))
                .singleElement()
                .asString()
                .contains("missing permission");
        assertThat(this.redis.pttl("lock:{stuck}")).as("it runs out").isPositive();
    }

    @Test
    void shouldSayWhyThereIsNoConnection() {
        Instance pinging = instanceWith(this.user.without("+ping"));
        assertThat(catchThrowableOfType(LockStoreException.class, pinging.lock("refused")::tryLock))
                .hasMessageContaining("ping");
        this.redis.command("ACL", "SETUSER", RestrictedUser.NAME, "reset", "on", ">secret");
        Instance unknown = this.instances.at(
                this.proxy, setup -> setup.user(RestrictedUser.NAME).unreachable());
        assertThat(catchThrowableOfType(LockStoreException.class, unknown.lock("refused")::tryLock))
                .hasMessageContaining("WRONGPASS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+publish", "+pubsub|numsub", "+subscribe", "&lock:inbox:*"})
    void shouldGoOnWithoutMessages(String permission) throws Exception {
        Instance instance = instanceWith(this.user.without(permission));
        Instance other = this.instances.at(this.server, setup -> setup.calm().user(RestrictedUser.NAME));
        for (int i = 0; i < 2; i++) {
            assertThat(other.lock("polled").tryLock()).isTrue();
            this.proxy.forgetCommands();
            CompletableFuture<Boolean> waiter = inThread(() -> {
                instance.lock("polled").lock();
                instance.lock("polled").unlock();
                return true;
            });
            soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of("lock:{polled}")) > 1);
            assertThat(waiter.isDone()).isFalse();
            other.lock("polled").unlock();
            assertThat(get(waiter)).isTrue();
        }

        // A reply that is later than the command timeout makes the release go on in the background.
        soon().until(() -> !this.redis.exists("lock:{polled}"));
        if (!permission.startsWith("+pub")) {
            soon().until(() -> !this.log
                    .with("No messages about locks that are handed over")
                    .isEmpty());
            assertThat(this.log.with("No messages about locks that are handed over"))
                    .as("logged once by the waiter, and once by the owner if it has held a lock for a second")
                    .hasSizeBetween(1, 2)
                    .allSatisfy(line -> assertThat(line).contains("'&lock:inbox:* +subscribe'"));
        }
    }

    /**
     * Behind a proxy that may lose messages, the start waits for the subscription, but for no longer than it may come.
     */
    @Test
    void shouldNotWaitAtTheStartForASubscriptionThatIsRefused() {
        Duration timeout = Duration.ofSeconds(30);
        this.user.grant(this.user.without("+subscribe"));
        try (FaultProxy service = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.huawei())) {
            long start = System.nanoTime();

            Instance instance = this.instances.at(
                    service,
                    setup -> setup.lease(Duration.ofMinutes(10))
                            .commandTimeout(timeout)
                            .user(RestrictedUser.NAME));

            assertThat(since(start))
                    .as("time for a start without the permission to subscribe")
                    .isLessThan(timeout);
            instance.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-pexpire", "-pexpire -del"})
    void shouldLeaveNoKeyThatNeverEnds(String missing) throws Exception {
        this.redis.command(("ACL SETUSER " + USER + " reset on nopass ~* &* +@all " + missing).split(" "));
        Instance restricted = this.instances.at(
                this.server,
                setup -> setup.calm().commandTimeout(Duration.ofSeconds(1)).user(USER));
        Instance other = this.instances.at(this.server, Setup::calm);
        LeaseLock lock = restricted.lock("endless");

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure).hasMessageContaining("missing permission");
        soon().until(() -> this.redis.pttl("lock:{endless}") != -1);
        assertThat(other.lock("endless").tryLock(Waiting.LIMIT))
                .as("has no owner")
                .isTrue();
        other.lock("endless").unlock();
    }

    private Instance withPassword(UnaryOperator<Setup> setup) {
        this.redis.command("ACL", "SETUSER", USER, "reset", "on", ">first", "~*", "&*", "+@all");
        return this.instances.at(this.server, each -> setup.apply(each.user(USER, "first")));
    }

    private void change(String password) {
        this.redis.command("ACL", "SETUSER", USER, "resetpass", ">" + password);
        this.redis.command("CLIENT", "KILL", "USER", USER);
    }

    @Test
    void shouldKeepTheLockIfThePasswordIsPutRightInTime() throws Exception {
        Instance instance = withPassword(Setup::calm);
        Lease lease = instance.acquire("guarded");
        change("second");
        soon().until(() -> lease.state() == State.AT_RISK);
        LeaseLock lock = instance.lock("another");

        // The attempt that the server has cut off states no reason.
        soon().untilAsserted(() -> assertThat(
                        catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMillis(300))))
                .hasMessageContainingAll(
                        "WRONGPASS",
                        "Redis at 127.0.0.1:" + this.server.port(),
                        "spring.data.redis.username and password")
                .matches(LockStoreException::isTransient, "may end without a restart"));
        change("first");
        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(lock.tryLock(LIMIT)).as("works again").isTrue();
        lock.unlock();
    }
}
