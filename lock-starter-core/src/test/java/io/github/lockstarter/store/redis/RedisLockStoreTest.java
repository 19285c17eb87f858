package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static io.github.lockstarter.store.redis.ConnectedStore.LEASE;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.get;
import static io.github.lockstarter.store.redis.ConnectedStore.join;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static io.github.lockstarter.store.redis.ConnectedStore.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The store over a real Redis: what it adds to the scripts, which the differential test covers. */
@RedisTest
class RedisLockStoreTest {

    private static final String NAME = "a";

    private static final String KEY = "lock:{a}";

    private static final Duration PATIENT = Duration.ofSeconds(10);

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private final FaultProxy proxy;

    private final RedisServer server;

    private final RedisCli redis;

    private final List<ConnectedStore> stores = new ArrayList<>();

    RedisLockStoreTest(RedisServer server, FaultProxy proxy, RedisCli redis) {
        this.server = server;
        this.proxy = proxy;
        this.redis = redis;
    }

    @AfterEach
    void close() {
        this.proxy.heal();
        this.stores.forEach(ConnectedStore::close);
    }

    private ConnectedStore store(String instance) {
        return store(instance, this.server.port(), PATIENT, true).connected();
    }

    /** A store behind the proxy. */
    private ConnectedStore remote(Duration timeout, boolean privateConnection) {
        return store("remote", this.proxy.port(), timeout, privateConnection).connected();
    }

    private ConnectedStore store(String instance, int port, Duration timeout, boolean privateConnection) {
        ConnectedStore created = new ConnectedStore(
                instance,
                Servers.at("127.0.0.1", port),
                new RedisStoreSettings("lock", timeout, privateConnection, Duration.ofSeconds(5)));
        this.stores.add(created);
        return created;
    }

    /** Fields of another program may have the names of ours. */
    @ParameterizedTest
    @ValueSource(strings = {"12", "hello"})
    void shouldNotTouchAHashThatIsNoLock(String token) {
        this.redis.command("HSET", KEY, "f", token, "x", "y");
        ConnectedStore one = store("one");

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> one.granted(NAME, "me"))
                .withMessageContaining("key-prefix");

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("f", token, "x", "y"));
        assertThat(this.redis.pttl(KEY)).as("time to live, which it has not").isEqualTo(-1);
    }

    // ---- The subscription

    /** A load balancer has forgotten the connection, and neither of its ends has a sign of that. */
    @Test
    void shouldSubscribeAgainIfNoSignOfLifeArrives() {
        ConnectedStore store = remote(Duration.ofMillis(150), true);
        store.granted(NAME, "me");
        subscribe(store);
        String before = clients();

        this.proxy.swallowMessages();

        // A subscription that a busy machine does not begin in time begins again with the next request.
        soon().ignoreExceptions().untilAsserted(() -> {
            store.execute(Way.SEND, new Command.Acquire(NAME, "you", LEASE, true));
            assertThat(subscriberIn(clients()))
                    .as("connection of the subscription")
                    .isNotEmpty()
                    .isNotEqualTo(subscriberIn(before));
        });
    }

    @Test
    void shouldKeepASubscriptionWhoseSignsArrive() {
        ConnectedStore store = remote(Duration.ofMillis(150), true);
        store.granted(NAME, "me");
        subscribe(store);
        String before = subscriberIn(clients());
        long calls = publications();

        soon().until(() -> publications() >= calls + 2);

        assertThat(subscriberIn(clients())).as("connection of the subscription").isEqualTo(before);
        assertThat(store.messages()).as("messages, rejected ones included").isEmpty();
    }

    /** Waits for a lock that is taken, which begins the subscription, until a busy machine has subscribed. */
    private void subscribe(ConnectedStore store) {
        soon().ignoreExceptions().until(() -> {
            store.execute(Way.SEND, new Command.Acquire(NAME, "you", LEASE, true));
            return subscriberIn(clients()).startsWith("id=");
        });
    }

    private String clients() {
        return String.valueOf(this.redis.command("CLIENT", "LIST"));
    }

    private long publications() {
        return this.redis.infoCommandStats().getOrDefault("publish", 0L);
    }

    private static String subscriberIn(String clients) {
        return clients.lines()
                .filter(line -> line.contains(" sub=1 "))
                .map(line -> line.substring(0, line.indexOf(" addr=")))
                .collect(Collectors.joining());
    }

    // ---- Commands

    @ParameterizedTest
    @CsvSource({"CALL, true", "SEND, true", "CALL, false", "SEND, false"})
    void shouldExecuteEachCommand(Way way, boolean privateConnection) {
        ConnectedStore store =
                store("one", this.server.port(), PATIENT, privateConnection).connected();

        Reply.Granted granted = (Reply.Granted) store.execute(way, acquire(NAME, "me"));
        assertThat(store.execute(way, acquire(NAME, "you")))
                .isInstanceOfSatisfying(
                        Reply.Taken.class, taken -> assertThat(taken.owner()).isEqualTo("me"));
        assertThat(store.execute(way, renew(NAME, "me"))).isEqualTo(Reply.Renewed.INSTANCE);
        assertThat(store.execute(way, renew(NAME, "you"))).isEqualTo(Reply.NotOwner.TAKEN);
        assertThat(store.execute(way, new Command.RenewAll(List.of(renew(NAME, "me")))))
                .isEqualTo(new Reply.RenewedAll(List.of(Reply.Renewed.INSTANCE)));
        assertThat(described(store.execute(way, new Command.Inspect(NAME, false))))
                .extracting(StoredLock::owner, StoredLock::fencingToken)
                .containsExactly("me", granted.token());
        assertThat(store.execute(way, new Command.Downgrade(NAME, "me", 0, LEASE)))
                .isEqualTo(granted);
        String reader = GrantKind.readerOf("me");
        assertThat(store.execute(way, release(NAME, reader))).isEqualTo(Reply.Released.INSTANCE);
        assertThat(store.execute(way, release(NAME, reader))).isEqualTo(Reply.NotOwner.FREE);
        assertThat(store.execute(way, new Command.Inspect(NAME, true))).isEqualTo(new Reply.Described(null));
        store.granted(NAME, "keeper");
        assertThat(store.execute(way, new Command.Release(NAME, "keeper", 0, LEASE, null)))
                .isEqualTo(Reply.Released.INSTANCE);
        assertThat(this.redis.pttl(KEY)).isPositive();
    }

    private static StoredLock described(Reply reply) {
        return Objects.requireNonNull(((Reply.Described) reply).lock());
    }

    @ParameterizedTest
    @CsvSource({"CALL, true", "SEND, true", "SEND, false"})
    void shouldPublishAndFindInstances(Way way, boolean privateConnection) {
        ConnectedStore store =
                store("one", this.server.port(), PATIENT, privateConnection).connected();
        LockHolder full = new LockHolder("one", "billing", "host-7", 4711L, Instant.ofEpochMilli(5));
        LockHolder bare = new LockHolder("two", "billing", null, null, null);

        assertThat(store.execute(way, new Command.PublishInstance(full, LEASE))).isEqualTo(Reply.Done.INSTANCE);
        assertThat(store.execute(way, new Command.PublishInstance(bare, LEASE))).isEqualTo(Reply.Done.INSTANCE);

        assertThat(store.execute(way, new Command.FindInstance("one"))).isEqualTo(new Reply.Instance(full));
        assertThat(store.execute(way, new Command.FindInstance("two"))).isEqualTo(new Reply.Instance(bare));
        assertThat(store.execute(way, new Command.FindInstance("three"))).isEqualTo(new Reply.Instance(null));
        assertThat(this.redis.pttl("lock:instance:one")).isBetween(1L, LEASE);
    }

    @ParameterizedTest
    @CsvSource({"CALL, true", "SEND, true", "CALL, false", "SEND, false"})
    void shouldSendAMessageToAnInstanceThatListens(Way way, boolean privateConnection) {
        ConnectedStore owner = store("one");
        owner.store().listen();
        owner.store().listen();
        soon().until(() -> readers("one") == 1);
        ConnectedStore store =
                store("two", this.server.port(), PATIENT, privateConnection).connected();

        assertThat(store.execute(way, new Command.Notify(NAME, "one", "me", Notice.REVOKED)))
                .isEqualTo(Reply.Done.INSTANCE);

        soon().until(() -> !owner.messages().isEmpty());
        assertThat(owner.messages()).containsExactly(new ConnectedStore.Message(NAME, "REVOKED me", 0));
        assertThat(this.redis.infoCommandStats()).containsEntry("subscribe", 1L);
        assertThat(this.redis.exists(KEY)).as("the message changes nothing").isFalse();
    }

    private static Command.Release releaseTo(String id, String successor) {
        return new Command.Release(NAME, id, 0, 0, new Successor(successor, LEASE));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRenewManyLocksInOneCallEachIndependentlyOfTheOthers(Way way) {
        ConnectedStore store = store("one");
        List<Command.Renew> renewals = new ArrayList<>();
        for (int i = 0; i < store.store().renewalBatchSize(); i++) {
            store.granted("many-" + i, "me");
            renewals.add(renew("many-" + i, "me"));
        }
        // The server knows the script from then on.
        assertThat(store.execute(way, new Command.RenewAll(renewals))).isInstanceOf(Reply.RenewedAll.class);
        this.redis.command("DEL", "lock:{many-7}");
        this.redis.command("SET", "lock:{many-8}", "of another program");
        this.redis.command("CONFIG", "RESETSTAT");

        Reply.RenewedAll reply = (Reply.RenewedAll) store.execute(way, new Command.RenewAll(renewals));

        assertThat(reply.outcomes())
                .hasSize(renewals.size())
                .startsWith(IntStream.range(0, 7)
                        .mapToObj(i -> Reply.Renewed.INSTANCE)
                        .toArray(Reply[]::new))
                .contains(Reply.NotOwner.FREE, org.assertj.core.data.Index.atIndex(7))
                .contains(Reply.NotOwner.TAKEN, org.assertj.core.data.Index.atIndex(8))
                .endsWith(Reply.Renewed.INSTANCE, Reply.Renewed.INSTANCE);
        assertThat(calls()).isOne();
    }

    /**
     * A text has more than 20 kB, and locks whose leases end while Redis does not reply are released at the same time.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSendTheTextOfAScriptOnceForManyCalls(boolean wasKnown) {
        ConnectedStore store = store("one");
        if (wasKnown) {
            store.execute(Way.SEND, release(NAME, "before"));
        }
        this.redis.command("SCRIPT", "FLUSH");
        this.redis.command("CONFIG", "RESETSTAT");
        this.server.pause();
        List<CompletableFuture<Reply>> replies;
        try {
            replies = IntStream.range(0, 50)
                    .mapToObj(i -> store.store().send(release(NAME, "id" + i)).toCompletableFuture())
                    .toList();
        } finally {
            this.server.resume();
        }

        assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).isEqualTo(Reply.NotOwner.FREE));
        assertThat(this.redis.infoCommandStats()).containsEntry("eval", 1L);
    }

    private long calls() {
        return this.redis.infoCommandStats().getOrDefault("evalsha", 0L)
                + this.redis.infoCommandStats().getOrDefault("eval", 0L);
    }

    // ---- The waiting line and its messages

    @Test
    void shouldJoinTheLineBeforeMessagesArriveAndAskAgainThen() {
        ConnectedStore one = store("one");
        one.granted(NAME, "me");
        assertThat(one.call(acquire(NAME, "you"))).isInstanceOf(Reply.Taken.class);
        assertThat(readers("one")).as("nothing has waited").isZero();
        int gaps = one.gaps();

        Reply first = one.call(join(NAME, "you"));

        assertThat(((Reply.Taken) first).pollMillis()).as("in the line").isPositive();
        assertThat(this.redis.hgetall(KEY).get("w:you")).as("it polls").endsWith(":");
        soon().until(() -> one.gaps() > gaps);
        assertThat(readers("one")).isOne();
        one.joins(NAME, "you");
        assertThat(described(one.call(new Command.Inspect(NAME, false))).line()).containsExactly("you");
        assertThat(this.redis.infoCommandStats()).containsEntry("subscribe", 1L);
    }

    @Test
    void shouldGiveAWaiterTwoPollIntervalsToClaimAGrant() {
        ConnectedStore one = store("one");
        one.granted(NAME, "me");
        one.joins(NAME, "you");

        assertThat(one.store().claimMillis())
                .as("milliseconds in which a waiter that polls every five seconds must claim a grant")
                .isEqualTo(10_000);
        assertThat(this.redis.hgetall(KEY).get("w:you"))
                .as("entry of the waiter, with the time for its claim and its inbox")
                // With a dot until a probe has shown that the server counts the inbox.
                .matches("\\d+:\\d+:10000[.:]one");
    }

    private long readers(String instance) {
        return (Long)
                ((List<?>) Objects.requireNonNull(this.redis.command("PUBSUB", "NUMSUB", "lock:inbox:" + instance)))
                        .get(1);
    }

    /** The messages of the connection before end with it. */
    @Test
    void shouldSubscribeAgainOverAnotherConnection() {
        store("owner").granted(NAME, "me");
        ConnectedStore store = remote(TIMEOUT, true);
        store.joins(NAME, "you");
        assertThat(this.redis.infoCommandStats()).as("subscriptions").containsEntry("subscribe", 1L);
        this.proxy.swallowRequestOf(Commands.with("lock:{silent}"), () -> {});

        LockStoreException failure = store.failure(Way.CALL, acquire("silent", "me"));

        assertThat(failure).as("failure over a silent connection").hasMessageContaining("'silent'");
        within(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(this.redis.infoCommandStats())
                        .as("subscriptions, the second one over another connection")
                        .containsEntry("subscribe", 2L));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndItsSubscriptionWhenItStopsAndStartAgain(boolean privateConnection) {
        ConnectedStore one =
                store("one", this.server.port(), PATIENT, privateConnection).connected();
        one.granted(NAME, "me");
        one.joins(NAME, "you");

        one.store().stop();

        soon().until(() -> readers("one") == 0);
        LockStoreException failure = one.failure(Way.SEND, acquire(NAME, "me"));
        assertThat(failure.isOutcomeUnknown()).isFalse();
        one.store().start("again", one);
        one.joins(NAME, "they");
        assertThat(readers("again")).isOne();
    }

    // ---- Failures

    /** Neither by the repetition with the text of a script, nor by anything else. */
    @ParameterizedTest
    @CsvSource({"CALL, true", "SEND, true", "CALL, false", "SEND, false"})
    void shouldFailWithinOneCommandTimeout(Way way, boolean withScripts) {
        Duration timeout = TIMEOUT.multipliedBy(3);
        ConnectedStore store = remote(timeout, true);
        if (withScripts) {
            store.execute(way, releaseTo("unknown", "unknown too"));
        } else {
            this.redis.command("SCRIPT", "FLUSH");
        }
        try (Hold held = this.proxy.holdReply(withScripts ? Commands.with(KEY) : Commands.named("eval"))) {
            long since = System.nanoTime();

            LockStoreException failure = store.failure(way, releaseTo("me", "you"));

            assertThat(Duration.ofNanos(System.nanoTime() - since)).isBetween(timeout, timeout.multipliedBy(2));
            assertThat(failure.isOutcomeUnknown()).isTrue();
            assertThat(failure.isTransient()).isTrue();
            assertThat(failure).hasMessageContaining("'a'");
        }
    }

    /** As of Jedis: there is neither an asynchronous API nor a native connection. */
    @Test
    void shouldSendOverAFactoryOfAnotherClient() {
        LettuceConnectionFactory hidden = Servers.of(this.server);
        RedisConnectionFactory other = (RedisConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> method.invoke(hidden, arguments));
        RedisStoreSettings settings = new RedisStoreSettings("lock", PATIENT, false, Duration.ofSeconds(5));
        try (ConnectedStore store = new ConnectedStore("one", hidden, other, settings).connected()) {
            List<CompletableFuture<Reply>> sent = IntStream.range(0, 1000)
                    .mapToObj(i -> store.store().send(acquire("b" + i, "me")).toCompletableFuture())
                    .toList();

            assertThat(sent).allSatisfy(each -> assertThat(get(each)).isInstanceOf(Reply.Granted.class));
            assertThat(store.store().renewalBatchSize()).isOne();
        }
    }
}
