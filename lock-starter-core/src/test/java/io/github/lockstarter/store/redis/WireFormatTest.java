package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The version of the format is written once, and another one stops new acquisitions and nothing else. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class WireFormatTest {

    private static final String KEY = "lock:format";

    private static final String OWN = Long.toString(WireFormat.VERSION);

    private static final String OTHER = Long.toString(WireFormat.VERSION + 1);

    private static final Predicate<List<String>> READS =
            Commands.named("eval", "evalsha").and(Commands.with(KEY));

    private static final Predicate<List<String>> ASKS_FOR_THE_LOCK = Commands.with("lock:{wanted}");

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final LogCapture log = new LogCapture();

    private final FaultProxy proxy;

    private final RedisCli redis;

    WireFormatTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    private Instance start() {
        return this.instances.at(this.proxy, Setup::calm);
    }

    private void store(String version) {
        this.redis.command("HSET", KEY, "version", version);
    }

    /** Breaks the connections, which Lettuce reopens by itself, and waits until the version has been read again. */
    private void reconnect() {
        this.proxy.forgetCommands();
        this.proxy.cutRst();
        soon().until(() -> this.proxy.commandsSeen(READS) > 0);
    }

    /** Lets a connected instance find that version. */
    private void change(Instance instance, String version) {
        store(version);
        reconnect();
        soon().until(() -> isRefused(instance));
    }

    private static boolean isRefused(Instance instance) {
        Throwable failure = catchThrowable(
                () -> assertThat(instance.lock("probe").tryLock()).isTrue());
        if (failure == null) {
            instance.lock("probe").unlock();
        }
        return failure != null && String.valueOf(failure.getMessage()).contains(KEY);
    }

    private void assertThatLocksWork(Instance instance) {
        soon().ignoreExceptions().until(() -> instance.lock("working").tryLock());
        instance.lock("working").unlock();
    }

    private static void assertRefusal(Throwable thrown) {
        assertThat(thrown)
                .hasMessageContaining("'wanted'")
                .hasMessageContaining("format " + OTHER + " (key " + KEY + ")")
                .hasMessageContaining("format " + OWN + '.')
                .hasMessageContaining("docs/reference/upgrading.md")
                .isInstanceOfSatisfying(LockStoreException.class, failure -> {
                    assertThat(failure.isTransient()).as("waited for").isFalse();
                    assertThat(failure.isOutcomeUnknown()).isFalse();
                });
    }

    @Test
    void shouldBeWrittenWhereItIsAbsentAndStay() {
        Instance instance = start();

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN));
        assertThat(this.redis.pttl(KEY)).as("does not expire").isEqualTo(-1);
        assertThatLocksWork(instance);

        this.redis.command("HSET", KEY, "note", "of an operator");
        assertThatLocksWork(start());
        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN, "note", "of an operator"));
        this.redis.flushall();
        reconnect();
        soon().until(() -> this.redis.hgetall(KEY).equals(Map.of("version", OWN)));
        assertThat(this.log.with("format")).isEmpty();
    }

    @Test
    void shouldRefuseAcquisitionsFromTheStartOn() throws Exception {
        store(OTHER);
        Instance instance = start();

        assertRefusal(catchThrowable(() -> instance.lock("wanted").tryLock()));
        assertRefusal(catchThrowable(() -> instance.lock("wanted").tryLock(Duration.ofMinutes(1))));
        assertRefusal(catchThrowable(() -> instance.lock("wanted").lock()));
        assertRefusal(catchThrowableOfType(
                        ExecutionException.class,
                        () -> instance.waitFor("wanted").get())
                .getCause());
        LeaseReadWriteLock readWrite = instance.registry().getReadWriteLock("wanted");
        assertRefusal(catchThrowable(() -> readWrite.readLock().tryLock()));
        assertRefusal(catchThrowable(
                () -> instance.registry().getSemaphore("wanted", 3).tryAcquire()));

        assertThat(this.proxy.commandsSeen(ASKS_FOR_THE_LOCK)).as("sent").isZero();
        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OTHER));
        assertThat(instance.lock("wanted").isLocked()).isFalse();
        reconnect();
        soon().ignoreExceptions().until(() -> !instance.lock("wanted").isLocked());
        assertThat(this.log.with("stores locks in format " + OTHER))
                .as("logged once")
                .hasSize(1);
    }

    /** Every kind of release, and all that keeps a lease. */
    @Test
    void shouldRenewAndReleaseWhatIsHeldWhenItChanges() throws Exception {
        Instance instance = start();
        Lease held = instance.acquire("held");
        Lease later = instance.acquire("later");
        Lease kept = instance.registry().acquire(LockRequest.of("kept").withMinHold(Duration.ofMinutes(1)));
        Lease permit = instance.registry().getSemaphore("permits", 2).acquire();
        LeaseReadWriteLock readWrite = instance.registry().getReadWriteLock("downgraded");
        readWrite.writeLock().lock();

        store(OTHER);
        assertThatLocksWork(instance);
        change(instance, OTHER);

        assertRefusal(catchThrowable(() -> instance.lock("wanted").tryLock()));
        for (Lease each : List.of(held, later, kept, permit)) {
            long renewed = instance.events().count(LockRenewedEvent.class, each.name());
            soon().until(() -> instance.events().count(LockRenewedEvent.class, each.name()) > renewed + 1);
            assertThat(each.state()).isEqualTo(Lease.State.HELD);
        }
        held.extend(Duration.ofMinutes(2));
        assertThat(this.redis.pttl("lock:{held}")).isGreaterThan(60_000);
        readWrite.readLock().lock();
        readWrite.writeLock().unlock();
        assertThat(this.redis.hgetall("lock:{downgraded}")).containsEntry("o", "~r");
        readWrite.readLock().unlock();
        assertThat(held.release()).isTrue();
        assertThat(get(later.releaseAsync())).isTrue();
        assertThat(kept.release()).isTrue();
        assertThat(permit.release()).isTrue();

        assertThat(this.redis.hgetall("lock:{kept}").get("o")).startsWith("~k");
        assertThat(this.redis.keys()).containsExactly("lock:{kept}");
        assertThat(instance.lock("kept").forceUnlock()).isTrue();
        assertThat(this.redis.keys()).isEmpty();
    }

    @Test
    void shouldAcquireAgainWhenItIsBack() {
        store(OTHER);
        Instance instance = start();
        assertRefusal(catchThrowable(() -> instance.lock("wanted").tryLock()));
        try (LogCapture lines = new LogCapture(WireFormat.class.getName(), Level.INFO)) {
            this.redis.command("DEL", KEY);
            reconnect();

            assertThatLocksWork(instance);
            assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN));
            assertThat(lines.with("stores locks in format " + OWN)).hasSize(1);
        }
    }

    @Test
    void shouldCountAsEqualAtAReplica() {
        try (RedisServer server = RedisServer.start();
                RedisCli cli = server.cli()) {
            cli.command("REPLICAOF", "127.0.0.1", "1");
            Instance instance = this.instances.at(server, Setup::calm);
            assertThat(catchThrowableOfType(
                            LockStoreException.class,
                            () -> instance.lock("wanted").tryLock()))
                    .hasMessageContaining("READONLY");
            assertThat(cli.exists(KEY)).isFalse();

            cli.command("REPLICAOF", "NO", "ONE");

            assertThatLocksWork(instance);
            cli.command("CLIENT", "KILL", "TYPE", "normal");
            soon().until(() -> cli.hgetall(KEY).equals(Map.of("version", OWN)));
            assertThat(this.log.with("format")).isEmpty();
            instance.close();
        }
    }

    @Test
    void shouldBelongToThePrefix() {
        this.redis.command("HSET", "other:format", "version", OTHER);

        assertThatLocksWork(start());
        Instance other = this.instances.at(this.proxy, setup -> setup.calm().keyPrefix("other"));

        assertThatCode(() -> other.lock("wanted").tryLock())
                .hasMessageContaining("(key other:format)")
                .hasMessageContaining("format " + OTHER);
    }
}
