package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
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
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
            command -> Commands.named("eval", "evalsha").and(Commands.with(KEY)).test(command);

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
        assertThat(this.log.with("format")).isEmpty();
    }

    /** The first lock waits for no additional reply, and cannot be requested before the version is known. */
    @Test
    void shouldBeReadWithoutARoundTripOfItsOwn() throws Exception {
        try (Hold reply = this.proxy.holdReply(READS)) {
            CompletableFuture<Instance> starting = CompletableFuture.supplyAsync(() -> this.instances.at(
                    this.proxy,
                    setup -> setup.lease(Duration.ofMinutes(10))
                            .commandTimeout(Duration.ofMinutes(1))
                            .unreachable()));
            reply.awaitReached(LIMIT);

            soon().until(() -> this.proxy.commandsSeen(Commands.named("ping")) > 0);
            List<List<String>> sent = new ArrayList<>();
            this.proxy.commandsSeen(READS.or(Commands.named("ping", "info")).and(sent::add));
            assertThat(sent)
                    .satisfiesExactly(
                            first -> assertThat(first).contains(KEY),
                            second -> assertThat(second.get(0)).isEqualToIgnoringCase("ping"));
            reply.close();
            get(starting);
        }
        assertThat(this.proxy.commandsSeen(READS)).as("once for a connection").isEqualTo(1);
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

    /** Waiters of one JVM would pass a lock on among themselves, without an acquisition that could be refused. */
    @Test
    void shouldRefuseThoseWhoWaitInThisJvmAndInTheLine() throws Exception {
        // An entry of the line whose deadline has passed would stay until the next command that writes.
        Instance instance = this.instances.at(this.proxy, setup -> setup.calm().pollInterval(Duration.ofSeconds(20)));
        Lease held = instance.acquire("wanted");
        CompletableFuture<Lease> first = instance.waitFor("wanted");
        CompletableFuture<Lease> second = instance.waitFor("wanted");
        this.redis.command("HSET", "lock:{elsewhere}", "o", "another", "f", "1");
        this.redis.command("PEXPIRE", "lock:{elsewhere}", "600000");
        CompletableFuture<Lease> inLine = instance.waitFor("elsewhere");
        soon().until(() -> this.redis.hgetall("lock:{elsewhere}").containsKey("q"));

        change(instance, OTHER);

        assertThat(catchThrowableOfType(ExecutionException.class, () -> get(inLine)))
                .hasMessageContaining(KEY);
        soon().until(() -> !this.redis.hgetall("lock:{elsewhere}").containsKey("q"));
        assertThat(held.release()).isTrue();
        assertRefusal(
                catchThrowableOfType(ExecutionException.class, () -> get(first)).getCause());
        assertRefusal(catchThrowableOfType(ExecutionException.class, () -> get(second))
                .getCause());
        assertThat(this.redis.keys()).containsExactly("lock:{elsewhere}");
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
    void shouldBeWrittenAgainAfterAFlush() {
        Instance instance = start();
        this.redis.flushall();
        assertThatLocksWork(instance);

        reconnect();

        soon().until(() -> this.redis.hgetall(KEY).equals(Map.of("version", OWN)));
        assertThatLocksWork(instance);
    }

    /** A server that is down at the start. */
    @Test
    void shouldRefuseAcquisitionsWhenThereIsAConnectionAtLast() {
        store(OTHER);
        this.proxy.refuse();
        Instance instance = this.instances.at(this.proxy, setup -> setup.calm().unreachable());

        this.proxy.accept();

        assertRefusal(catchThrowable(() -> instance.lock("wanted").tryLock(Duration.ofMinutes(1))));
        assertThat(this.proxy.commandsSeen(ASKS_FOR_THE_LOCK)).isZero();
    }

    @Test
    void shouldCountAsEqualWhileRedisIsFull() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
        Instance instance;
        try {
            instance = start();
            assertThat(catchThrowableOfType(
                            LockStoreException.class,
                            () -> instance.lock("wanted").tryLock()))
                    .hasMessageContaining("OOM");
            assertThat(this.redis.exists(KEY)).isFalse();
        } finally {
            this.redis.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThatLocksWork(instance);

        reconnect();

        soon().until(() -> this.redis.hgetall(KEY).equals(Map.of("version", OWN)));
        assertThat(this.log.with("format")).isEmpty();
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
