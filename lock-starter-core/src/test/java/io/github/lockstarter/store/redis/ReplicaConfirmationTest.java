package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static io.github.lockstarter.store.redis.ConnectedStore.renew;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Grants and renewals that replicas must acknowledge, at a master with two of them. */
@Tag("redis")
class ReplicaConfirmationTest {

    private static final String NAME = "a";

    private static final String KEY = "lock:{a}";

    private static final Duration PATIENT = Duration.ofSeconds(10);

    @AutoClose
    private static MasterWithReplicas servers;

    @AutoClose
    private final FaultProxy proxy = FaultProxy.inFrontOf(servers.master().port());

    @AutoClose
    private final RedisCli redis = servers.master().cli();

    private final List<ConnectedStore> stores = new ArrayList<>();

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(2);
    }

    @AfterEach
    void close() {
        this.proxy.heal();
        this.stores.forEach(ConnectedStore::close);
        servers.heal();
    }

    private ConnectedStore store(Duration timeout, int replicas) {
        ConnectedStore created = new ConnectedStore(
                "one",
                Servers.at("127.0.0.1", this.proxy.port()),
                new RedisStoreSettings(
                        "lock", timeout, true, Duration.ofSeconds(1), true, true, replicas, MessageMode.AUTO));
        this.stores.add(created);
        return created.connected();
    }

    /** Returns how many pairs were sent. */
    private long pairs() {
        return pairs(this.proxy);
    }

    private static long pairs(FaultProxy proxy) {
        return proxy.commandsSeen(
                Commands.named("wait").and(command -> !command.get(1).equals("0")));
    }

    @ParameterizedTest
    @EnumSource
    void shouldConfirmGrantsAndRenewals(Way way) {
        ConnectedStore store = store(PATIENT, 2);
        assertThat(store.store().claimMillis()).as("messages prove nothing").isZero();
        soon().until(() -> pairs() > 0);
        long before = pairs();

        Reply granted = store.execute(way, acquire(NAME, "me"));
        assertThat(granted).isInstanceOf(Reply.Granted.class);
        assertThat(store.execute(way, acquire(NAME, "you"))).isInstanceOf(Reply.Taken.class);
        assertThat(pairs() - before).as("of the grant alone").isOne();
        assertThat(store.execute(way, renew(NAME, "me"))).isEqualTo(Reply.Renewed.INSTANCE);
        assertThat(store.execute(way, renew(NAME, "you"))).isEqualTo(Reply.NotOwner.TAKEN);
        assertThat(store.execute(
                        way, new Command.RenewAll(List.of(renew("b", "me"), renew(NAME, "me"), renew("c", "me")))))
                .isEqualTo(new Reply.RenewedAll(
                        List.of(Reply.NotOwner.FREE, Reply.Renewed.INSTANCE, Reply.NotOwner.FREE)));
        assertThat(pairs() - before).isEqualTo(4);
        assertThat(store.execute(way, new Command.Downgrade(NAME, "me", 0, 1000)))
                .isEqualTo(granted);
        assertThat(store.execute(way, renew(NAME, "me.r"))).isEqualTo(Reply.Renewed.INSTANCE);
        assertThat(store.execute(way, release(NAME, "me.r"))).isEqualTo(Reply.Released.INSTANCE);
        assertThat(pairs() - before).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReportNothingWithTooFewReplicas(Way way) {
        Duration timeout = Duration.ofSeconds(1);
        ConnectedStore store = store(timeout, 3);

        for (Command command :
                List.of(acquire(NAME, "me"), renew(NAME, "me"), new Command.RenewAll(List.of(renew(NAME, "me"))))) {
            // On a busy machine, a reply that is later than the command timeout hides the reason.
            soon().untilAsserted(() -> {
                long since = System.nanoTime();
                LockStoreException failure = store.failure(way, command);

                assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(timeout.multipliedBy(2));
                assertThat(failure)
                        .hasMessageContaining("'a'")
                        .hasMessageContaining("2 of 3")
                        .hasMessageContaining("distributed-lock.redis.confirm-replicas");
                assertThat(failure.isOutcomeUnknown()).isTrue();
                assertThat(failure.isTransient()).isTrue();
            });
        }
        assertThat(store.execute(way, release(NAME, "me")))
                .as("is not confirmed")
                .isEqualTo(Reply.Released.INSTANCE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailInTimeIfTheServerFallsSilentDuringTheConfirmation(Way way) {
        Duration timeout = Duration.ofSeconds(1);
        ConnectedStore store = store(timeout, 2);
        store.granted("before", "me");
        try (Hold held = this.proxy.hold(Commands.named("wait"))) {
            long since = System.nanoTime();

            LockStoreException failure = store.failure(way, acquire(NAME, "me"));

            assertThat(Duration.ofNanos(System.nanoTime() - since)).isBetween(timeout, timeout.multipliedBy(2));
            assertThat(failure).hasMessageContaining("distributed-lock.redis.confirm-replicas");
            assertThat(failure.isOutcomeUnknown()).isTrue();
        }
        soon().ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> store.granted("after", "me") > 0);
    }

    @Test
    void shouldNotBelieveAGrantThatIsGoneBeforeItsConfirmation() throws Exception {
        ConnectedStore store = store(PATIENT, 1);
        store.granted("before", "me");
        Hold hold = this.proxy.hold(Commands.with(LuaScript.RENEW.getScriptAsString()));
        CompletableFuture<Reply> reply = store.store().send(acquire(NAME, "me")).toCompletableFuture();
        hold.awaitReached(PATIENT);

        this.redis.command("DEL", KEY);
        hold.release();

        assertThat(reply)
                .failsWithin(PATIENT)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        ex -> assertThat(ex.isOutcomeUnknown()).isTrue());
    }

    /** Where the address leads now, there is another master; the former one may still answer. */
    @Test
    void shouldFollowTheConnectionOfTheStore() {
        ConnectedStore store = store(Duration.ofMillis(500), 1);
        soon().until(() -> pairs(this.proxy) > 0);
        try (FaultProxy other = FaultProxy.inFrontOf(servers.master().port())) {
            this.proxy.leadTo(other.port());
            this.proxy.swallowRequestOf(Commands.with(KEY), () -> {});

            assertThat(store.failure(Way.CALL, acquire(NAME, "me")).isTransient())
                    .as("whether another attempt may succeed")
                    .isTrue();

            soon().untilAsserted(() -> assertThat(pairs(other))
                    .as("pairs where the connection of the store leads, after it was replaced")
                    .isPositive());
        }
    }

    /** What arrives while a pair is in flight goes with the next one. */
    @Test
    void shouldGiveEachCommandOfAPairItsOwnReply() throws Exception {
        ConnectedStore store = store(PATIENT, 1);
        store.granted(NAME, "me");
        CompletableFuture<Reply> first;
        List<CompletableFuture<Reply>> next;
        try (Hold held = this.proxy.holdReply(Commands.named("wait"))) {
            first = store.store().send(renew(NAME, "me")).toCompletableFuture();
            held.awaitReached(PATIENT);
            next = Stream.of(renew(NAME, "me"), renew(NAME, "you"), renew("free", "me"))
                    .map(renewal -> store.store().send(renewal).toCompletableFuture())
                    .toList();
        }

        assertThat(ConnectedStore.get(first)).as("reply to the first pair").isEqualTo(Reply.Renewed.INSTANCE);
        assertThat(next)
                .as("replies to a renewal of the owner, of another one and of a free lock in one pair")
                .extracting(ConnectedStore::get)
                .containsExactly(Reply.Renewed.INSTANCE, Reply.NotOwner.TAKEN, Reply.NotOwner.FREE);
    }

    /** WAIT would be satisfied by an older write. */
    @Test
    void shouldWriteWhatReplicasConfirmThoughItChangesNothing() {
        ConnectedStore store = store(PATIENT, 1);
        store.granted(NAME, "me");
        long before = changes();

        assertThat(store.call(new Command.Renew(NAME, "me", 1_000)))
                .as("renewal for less than is left")
                .isEqualTo(Reply.Renewed.INSTANCE);

        assertThat(changes()).as("writes for the replicas").isEqualTo(before + 1);
        assertThat(this.redis.pttl(KEY)).as("remaining milliseconds").isGreaterThan(30_000L);
    }

    private long changes() {
        return this.redis
                .info("persistence")
                .lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .mapToLong(line -> Long.parseLong(line.split(":", 2)[1].strip()))
                .sum();
    }
}
