package io.github.lockstarter.faults;

import static io.github.lockstarter.faults.RestrictedUser.RULES;
import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis user that may do what locks need; what happens when something is missing; and a password that changes. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LeastPrivilegeTest extends FaultFixture {

    private static final String USER = "other-user";

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
        // a server that knows no script yet
        this.redis.command("SCRIPT", "FLUSH");
        LeaseLock lock = instance.lock("allowed");

        assertThat(lock.tryLock()).isTrue();
        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);
        lock.lock(Duration.ofSeconds(30));
        lock.unlock();
        assertThat(lock.isLocked()).isTrue();
        lock.unlock();
        assertThat(this.redis.exists("lock:{allowed}")).isFalse();
        this.redis.command("HSET", "lock:{forced}", "o", "somebody", "f", "1");
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

    /** One for each line of servers. */
    @Test
    void shouldBeWhatTheManualSays() throws IOException {
        assertThat(Files.readAllLines(Path.of("../docs/reference/redis.md")))
                .filteredOn(line -> line.startsWith("ACL SETUSER"))
                .containsExactlyElementsOf(RULES.stream()
                        .map(rule -> "ACL SETUSER locks on >secret " + rule)
                        .toList());
    }

    /** By a message: nobody polls that soon. */
    private void assertThatWaitersAreWoken(Instance releasing) throws Exception {
        Instance waiting = this.instances.at(
                this.server,
                setup -> setup.calm().user(RestrictedUser.NAME).lease(LONG).pollInterval(LONG));
        LeaseLock lock = releasing.lock("handed");
        lock.lock(LONG);
        CompletableFuture<Lease> next = waiting.waitFor("handed");
        WaitingLine.awaitLength(this.redis, "lock:{handed}", 1);
        lock.unlock();
        assertThat(next.get(10, TimeUnit.SECONDS).release()).isTrue();
    }

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
            Call<Boolean> waiter = Call.start(() -> {
                instance.lock("polled").lock();
                instance.lock("polled").unlock();
                return true;
            });
            waiter.awaitParked();
            assertThat(waiter.isDone()).isFalse();
            other.lock("polled").unlock();
            assertThat(waiter.result()).isTrue();
        }

        assertThat(this.redis.exists("lock:{polled}")).isFalse();
        if (!permission.startsWith("+pub")) {
            soon().until(() -> !this.log
                    .with("No messages about locks that are handed over")
                    .isEmpty());
            assertThat(this.log.with("No messages about locks that are handed over"))
                    .as("said once")
                    .singleElement()
                    .asString()
                    .contains("'&lock:inbox:* +subscribe'");
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

        LockStoreException failure =
                catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(Duration.ofMillis(300)));

        assertThat(failure.isTransient()).as("may end without a restart").isTrue();
        assertThat(failure)
                .hasMessageContainingAll(
                        "WRONGPASS",
                        "Redis at 127.0.0.1:" + this.server.port(),
                        "spring.data.redis.username and password");
        change("first");
        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(lock.tryLock(LIMIT)).as("works again").isTrue();
        lock.unlock();
    }
}
