package io.github.lockstarter.autoconfigure;

import static io.github.lockstarter.autoconfigure.WebInstance.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.autoconfigure.WebInstance.Answer;
import io.github.lockstarter.testsupport.DamagedLock;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the endpoint {@code locks} shows and does, over HTTP. */
@RedisTest
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // what is held and for how long is the subject
class LocksEndpointRedisTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Does not end because a thread waits for its turn on a busy machine. */
    private static final Duration TIMEOUT = Duration.ofSeconds(12);

    private static WebInstance instance;

    private static LockRegistry registry;

    @BeforeAll
    static void start(RedisServer redis, FaultProxy proxy) {
        instance = WebInstance.start(
                "--spring.data.redis.host=" + proxy.host(),
                "--spring.data.redis.port=" + proxy.port(),
                "--distributed-lock.watchdog.timeout=" + TIMEOUT.toMillis() + "ms",
                "--distributed-lock.watchdog.renew-interval=400ms",
                "--distributed-lock.redis.command-timeout=1s",
                "--management.endpoint.locks.access=unrestricted");
        registry = instance.bean(LockRegistry.class);
    }

    @AfterAll
    static void stop() {
        instance.close();
    }

    @Test
    void shouldNameTheServer() {
        await().pollInSameThread()
                .untilAsserted(() -> assertThat(instance.get("/actuator/locks").<Map<String, Object>>at("$.server"))
                        .containsEntry("topology", "standalone")
                        .containsEntry("database", 0)
                        .containsKeys("product", "version"));
    }

    @Test
    void shouldListWhatThisInstanceHoldsAndWaitsFor() throws Exception {
        LeaseLock lock = registry.getLock("orders:42");
        assertThat(lock.tryLock(PATIENCE)).isTrue();
        Lease fixed = registry.acquire(LockRequest.of("report").withLease(Duration.ofSeconds(30)));
        CompletableFuture<Lease> waiter = registry.acquireAsync(
                        LockRequest.of("report").withWaitTime(PATIENCE))
                .toCompletableFuture();

        await().atMost(PATIENCE).pollInSameThread().untilAsserted(() -> {
            Answer locks = instance.get("/actuator/locks");
            assertThat(locks.status()).isEqualTo(200);
            assertThat(locks.<Integer>at("$.heldCount")).isEqualTo(2);
            assertThat(of("orders:42", locks))
                    .containsEntry("fencingToken", lock.currentLease().fencingToken())
                    .containsEntry("state", "HELD")
                    .containsEntry("mode", "WRITE")
                    .containsEntry("permits", 0)
                    .containsEntry("renewed", true)
                    .containsEntry("owner", Thread.currentThread().getName())
                    .hasEntrySatisfying(
                            "renewals", count -> assertThat((int) count).isPositive());
            assertThat(time(of("orders:42", locks), "heldFor")).isBetween(Duration.ofMillis(400), PATIENCE);
            assertThat(time(of("orders:42", locks), "remaining")).isBetween(Duration.ofMillis(1), TIMEOUT);
            assertThat(of("report", locks))
                    .containsEntry("fencingToken", fixed.fencingToken())
                    .containsEntry("renewed", false)
                    .containsEntry("renewals", 0)
                    .doesNotContainKey("owner");
            assertThat(locks.<List<?>>at("$.awaited"))
                    .singleElement()
                    .satisfies(awaited -> assertThat(awaited)
                            .hasFieldOrPropertyWithValue("name", "report")
                            .hasFieldOrPropertyWithValue("mode", "WRITE")
                            .hasFieldOrPropertyWithValue("waiters", 1));
            assertThat(Duration.parse(locks.at("$.awaited[0].longest"))).isBetween(Duration.ofMillis(1), PATIENCE);
        });

        lock.unlock();
        fixed.release();
        Lease handedOver = waiter.get(30, TimeUnit.SECONDS);
        Answer locks = instance.get("/actuator/locks");
        assertThat(locks.<List<?>>at("$.held")).hasSize(1);
        assertThat(of("report", locks)).containsEntry("fencingToken", handedOver.fencingToken());
        assertThat(locks.<List<?>>at("$.awaited")).isEmpty();
        handedOver.release();
        assertThat(instance.get("/actuator/locks").<Integer>at("$.heldCount")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders:42", "a/b c/d", "Öl und 水 🔒", "100%", "{a}+b&c=d", "x.y"})
    void shouldKnowALockByItsNameInThePath(String name) throws Exception {
        shouldKnow(name, "/actuator/locks/" + encoded(name).replace("+", "%20").replace("%2F", "/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders:42", "/a//b/", "..", ";a=b", "back\\slash", "?q#f%2F", " padded ", "line\nbreak"})
    void shouldKnowALockByItsNameInTheQuery(String name) throws Exception {
        shouldKnow(name, "/actuator/locks?name=" + encoded(name));
    }

    private static void shouldKnow(String name, String path) throws Exception {
        Lease lease = registry.acquire(LockRequest.of(name));

        Answer held = instance.get(path);
        assertThat(held.<String>at("$.name")).isEqualTo(name);
        assertThat(held.<String>at("$.held.name")).isEqualTo(name);
        assertThat(held.<Boolean>at("$.store.locked")).isTrue();
        assertThat(held.<String>at("$.store.mode")).isEqualTo("WRITE");
        assertThat(held.<Map<String, ?>>at("$.store")).doesNotContainKeys("permits", "holders", "line");
        assertThat(held.<Number>at("$.store.fencingToken").longValue()).isEqualTo(lease.fencingToken());
        assertThat(Duration.parse(held.at("$.store.remaining"))).isBetween(Duration.ofMillis(1), TIMEOUT);

        Answer released = instance.delete(path);
        assertThat(released.status()).as(released.body()).isEqualTo(200);
        assertThat(released.<String>at("$.name")).isEqualTo(name);
        assertThat(released.<Boolean>at("$.released")).isTrue();
        assertThat(released.<Boolean>at("$.notified")).isTrue();
        assertThat(lease.release()).as("still ours").isFalse();
        assertThat(lease.lost().toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.REVOKED);

        Answer free = instance.get(path);
        assertThat(free.<Map<?, ?>>at("$.store")).isEqualTo(Map.of("locked", false));
        assertThat(free.<Object>at("$.held")).isNull();
        assertThat(instance.delete(path).<Boolean>at("$.released")).isFalse();
    }

    @Test
    void shouldReleaseOneOfSeveralHolders() throws Exception {
        LockRequest permit = LockRequest.of("exports").withPermits(1, 2);
        Lease one = registry.acquire(permit);
        Lease two = registry.acquire(permit);
        String holder = instance.get("/actuator/locks/exports").at("$.store.holders[0].id");

        Answer released = instance.delete("/actuator/locks/exports?holder=" + holder);
        Answer again = instance.delete("/actuator/locks?name=exports&holder=" + holder);

        assertThat(released.<Boolean>at("$.released")).isTrue();
        assertThat(again.<Boolean>at("$.released")).as("a holder that is gone").isFalse();
        assertThat(one.lost().toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.REVOKED);
        assertThat(two.release()).as("the other holder").isTrue();
    }

    @Test
    void shouldAskTheOwnersInThisInstance() throws Exception {
        Lease owner = registry.acquire(LockRequest.of("orders/42"));
        LockRequest permit = LockRequest.of("exports").withPermits(1, 2);
        Lease one = registry.acquire(permit);
        Lease two = registry.acquire(permit);
        String holder = instance.get("/actuator/locks/exports").at("$.store.holders[1].id");

        Answer asked = instance.post("/actuator/locks/orders/42", "");
        assertThat(asked.status()).as(asked.body()).isEqualTo(200);
        assertThat(asked.<String>at("$.name")).isEqualTo("orders/42");
        assertThat(asked.<Boolean>at("$.requested")).isTrue();
        assertThat(instance.get("/actuator/locks/orders/42").<Boolean>at("$.held.releaseRequested"))
                .isTrue();
        assertThat(instance.post("/actuator/locks?name=exports", "{\"holder\":\"" + holder + "\"}")
                        .<Boolean>at("$.requested"))
                .isTrue();
        assertThat(two.isReleaseRequested()).as("the holder that is asked").isTrue();
        assertThat(one.isReleaseRequested()).as("the other holder").isFalse();
        assertThat(instance.post("/actuator/locks/exports?holder=" + holder + "x", "{}")
                        .<Boolean>at("$.requested"))
                .as("a holder that is unknown")
                .isFalse();
        assertThat(owner.release() && one.release() && two.release())
                .as("still ours")
                .isTrue();
    }

    @Test
    void shouldAskTheOwnerInAnotherInstance(RedisServer redis) throws Exception {
        try (WebInstance other =
                WebInstance.start("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + redis.port())) {
            Lease lease = other.bean(LockRegistry.class).acquire(LockRequest.of("theirs"));

            // The other instance listens only after it has held a lock for a while.
            await().atMost(PATIENCE).pollInSameThread().untilAsserted(() -> {
                assertThat(instance.post("/actuator/locks/theirs", "{}").<Boolean>at("$.requested"))
                        .isTrue();
                assertThat(lease.isReleaseRequested()).isTrue();
            });
            assertThat(lease.release()).as("still theirs").isTrue();
        }
    }

    @Test
    void shouldAskNobodyWithoutAnOwner() throws Exception {
        registry.acquire(LockRequest.of("over").withMinHold(PATIENCE)).release();

        assertThat(instance.post("/actuator/locks/free", "{}").<Boolean>at("$.requested"))
                .isFalse();
        assertThat(registry.getLock("over").isLocked()).isTrue();
        assertThat(instance.post("/actuator/locks/over", "{}").<Boolean>at("$.requested"))
                .as("a lock that only its minimum hold keeps")
                .isFalse();
    }

    @Test
    void shouldSayThatNoMessageCanBeSent(RedisServer redis) throws Exception {
        Lease lease = registry.acquire(LockRequest.of("orders:42"));
        try (WebInstance polling = WebInstance.start(
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + redis.port(),
                "--distributed-lock.redis.messages=polling",
                "--management.endpoint.locks.access=unrestricted")) {

            Answer refused = polling.post("/actuator/locks/orders:42", "{}");

            assertThat(refused.status()).as(refused.body()).isEqualTo(503);
            assertThat(refused.<String>at("$.name")).isEqualTo("orders:42");
            assertThat(refused.<String>at("$.error")).contains("distributed-lock.redis.messages");
        }
        assertThat(lease.release()).as("still ours").isTrue();
    }

    @Test
    void shouldAskNobodyForAFormOfAnotherSite() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("orders:42"));

        for (String type :
                List.of("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")) {
            assertThat(instance.post("/actuator/locks/orders:42", "--x--\r\n", type)
                            .status())
                    .as(type)
                    .isEqualTo(415);
            assertThat(instance.post("/actuator/locks?name=orders:42", "--x--\r\n", type)
                            .status())
                    .as(type)
                    .isEqualTo(415);
        }
        assertThat(lease.isReleaseRequested()).isFalse();
        lease.release();
    }

    @Test
    void shouldShowTheInstanceThatHoldsALock(RedisServer redis) throws Exception {
        try (WebInstance other = WebInstance.start(
                "--spring.application.name=billing",
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + redis.port())) {
            Lease lease = other.bean(LockRegistry.class).acquire(LockRequest.of("invoices"));
            CompletableFuture<Lease> waiter = registry.acquireAsync(
                            LockRequest.of("invoices").withWaitTime(PATIENCE))
                    .toCompletableFuture();
            // The other instance publishes its description in the background, and it is read again after five seconds.
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                Answer asked = instance.get("/actuator/locks/invoices");
                assertThat(asked.<Object>at("$.held")).as("here").isNull();
                assertThat(asked.<String>at("$.store.holder.application")).isEqualTo("billing");
                assertThat(asked.<Integer>at("$.store.waiting")).isEqualTo(1);
            });

            Answer asked = instance.get("/actuator/locks/invoices");

            assertThat(asked.<List<?>>at("$.store.line")).hasSize(1);
            assertThat(asked.<String>at("$.store.line[0].mode")).isEqualTo("WRITE");
            assertThat(asked.<String>at("$.store.line[0].waiter.instance"))
                    .matches("[0-9A-Za-z]{11}")
                    .isNotEqualTo(asked.at("$.store.holder.instance"));
            assertThat(asked.<Object>at("$.store.line[0].waiter.host")).isEqualTo(asked.at("$.store.holder.host"));
            assertThat(asked.<String>at("$.store.holder.instance")).matches("[0-9A-Za-z]{11}");
            assertThat(asked.<String>at("$.store.holder.host")).isNotBlank();
            assertThat(asked.<Number>at("$.store.holder.pid").longValue())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(Instant.parse(asked.at("$.store.holder.startedAt")))
                    .isBetween(Instant.now().minus(Duration.ofMinutes(2)), Instant.now());
            assertThat(Instant.parse(asked.at("$.store.since")))
                    .isEqualTo(Instant.EPOCH.plus(lease.fencingToken(), ChronoUnit.MICROS));
            assertThat(other.get("/actuator/locks/invoices").<Object>at("$.store.holder"))
                    .as("asked at the holder")
                    .isEqualTo(asked.at("$.store.holder"));
            lease.release();
            waiter.get(30, TimeUnit.SECONDS).release();
        }
    }

    @Test
    void shouldShowAndEndTheGrantsOfReaders() throws Exception {
        LockRequest reading = LockRequest.of("prices").withMode(LockMode.READ);
        Lease reader = registry.acquire(reading);
        // With a minimum hold it does not share the grant of the other one.
        Lease second = registry.acquire(reading.withMinHold(Duration.ofMillis(1)));
        CompletableFuture<Lease> writer = registry.acquireAsync(
                        LockRequest.of("prices").withWaitTime(PATIENCE))
                .toCompletableFuture();
        await().until(() ->
                Integer.valueOf(1).equals(instance.get("/actuator/locks/prices").at("$.store.waiting")));

        Answer prices = instance.get("/actuator/locks/prices");

        assertThat(prices.<String>at("$.held.mode")).isEqualTo("READ");
        assertThat(prices.<String>at("$.awaited.mode")).isEqualTo("WRITE");
        assertThat(prices.<String>at("$.store.mode")).isEqualTo("READ");
        assertThat(prices.<Map<String, ?>>at("$.store")).doesNotContainKey("permits");
        assertThat(prices.<List<Number>>at("$.store.holders[*].fencingToken"))
                .extracting(Number::longValue)
                .containsExactly(reader.fencingToken(), second.fencingToken());
        assertThat(prices.<List<Object>>at("$.store.holders[*].holder"))
                .containsOnly(prices.<Object>at("$.store.holder"));
        assertThat(prices.<List<String>>at("$.store.holders[*].remaining"))
                .allSatisfy(
                        remaining -> assertThat(Duration.parse(remaining)).isBetween(Duration.ofMillis(1), TIMEOUT));
        assertThat(instance.get("/actuator/locks").<List<String>>at("$.held[*].mode"))
                .containsExactly("READ", "READ");
        assertThat(instance.delete("/actuator/locks/prices").<Boolean>at("$.released"))
                .isTrue();
        assertThat(reader.lost().toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isNotNull();
        assertThat(second.lost().toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isNotNull();
        writer.get(30, TimeUnit.SECONDS).release();
    }

    @Test
    void shouldShowAndEndTheGrantsOfPermits() throws Exception {
        Lease two = registry.acquire(LockRequest.of("exports").withPermits(2, 5));
        Lease three = registry.acquire(LockRequest.of("exports").withPermits(3, 5));

        Answer exports = instance.get("/actuator/locks/exports");

        assertThat(exports.<String>at("$.store.mode")).isEqualTo("PERMIT");
        assertThat(exports.<Integer>at("$.store.permits")).isEqualTo(5);
        assertThat(exports.<List<Integer>>at("$.store.holders[*].permits")).containsExactly(2, 3);
        assertThat(exports.<List<String>>at("$.store.holders[*].holder.instance"))
                .hasSize(2);
        assertThat(Instant.parse(exports.at("$.store.holders[0].since")))
                .isEqualTo(Instant.EPOCH.plus(two.fencingToken(), ChronoUnit.MICROS));
        assertThat(instance.get("/actuator/locks").<List<Integer>>at("$.held[*].permits"))
                .containsExactlyInAnyOrder(2, 3);
        assertThat(instance.delete("/actuator/locks?name=exports").<Boolean>at("$.released"))
                .isTrue();
        assertThat(two.lost().toCompletableFuture().get(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(three.lost().toCompletableFuture().get(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(instance.get("/actuator/locks/exports").<Map<?, ?>>at("$.store"))
                .isEqualTo(Map.of("locked", false));
    }

    @Test
    void shouldShowALockOfAnotherInstance(RedisCli redis) {
        redis.command("HSET", "lock:{theirs}", "o", "another", "f", "1234567890123456");
        redis.command("PEXPIRE", "lock:{theirs}", "60000");

        Answer theirs = instance.get("/actuator/locks/theirs");

        assertThat(theirs.<Object>at("$.held")).isNull();
        assertThat(theirs.<Long>at("$.store.fencingToken")).isEqualTo(1234567890123456L);
        assertThat(theirs.<Object>at("$.store.holder")).isEqualTo(Map.of("instance", "another"));
        assertThat(theirs.<Integer>at("$.store.waiting")).isZero();
        assertThat(theirs.<String>at("$.store.since")).isEqualTo("2009-02-13T23:31:30.123456Z");
        assertThat(Duration.parse(theirs.at("$.store.remaining")))
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        assertThat(instance.get("/actuator/locks").<Integer>at("$.heldCount")).isZero();
    }

    @Test
    void shouldShowALockWithoutTheValuesThatAreDamaged(RedisCli redis) {
        redis.command("HSET", "lock:{token}", "o", "another", "f", "9000000000000000000");
        redis.command("HSET", "lock:{line}", "o", "another", "f", "1", "q", "1:9:99999999999:9999999999999");
        redis.command("HSET", "lock:{endless}", "o", "another", "q", "10000000000000000:10000000000000100:9:1");
        redis.command("HSET", "lock:{shared}", "o", "~s", "f", "7", "s", "1:1:9999999999999:x", "h:x.s1.1", "no");
        redis.command("HSET", "lock:{unknown}", "o", "~s", "f", "7", "h:x.sY.1", "9999999999999:7:1");
        redis.command("HSET", "lock:{permits}", "o", "~s", "f", "7", "s", "3:3:1:x");
        redis.command("HSET", "lock:{permits}", "h:x.sY.1", "9999999999999:9000000000000000000:1");
        redis.command("HSET", "lock:{permits}", "h:x.s1.1", "9999999999999:8999999999999999999:99999999999");

        Answer token = instance.get("/actuator/locks/token");
        assertThat(token.<Long>at("$.store.fencingToken")).isEqualTo(9_000_000_000_000_000_000L);
        assertThat(token.<Object>at("$.store.since")).isNull();
        assertThat(token.<String>at("$.store.holder.instance")).isEqualTo("another");
        assertThat(instance.get("/actuator/locks/line").<Object>at("$.store.waiting"))
                .isNull();
        Answer endless = instance.get("/actuator/locks/endless");
        assertThat(endless.<Boolean>at("$.store.locked")).isTrue();
        assertThat(endless.<Integer>at("$.store.waiting")).isZero();
        Answer shared = instance.get("/actuator/locks/shared");
        assertThat(shared.<Boolean>at("$.store.locked")).isTrue();
        assertThat(shared.<Map<String, ?>>at("$.store")).doesNotContainKeys("mode", "holder", "error");
        Answer unknown = instance.get("/actuator/locks/unknown");
        assertThat(unknown.<Object>at("$.store.mode")).isNull();
        assertThat(unknown.<String>at("$.store.holders[0].holder.instance")).isEqualTo("x.sY.1");
        Answer permits = instance.get("/actuator/locks/permits");
        assertThat(permits.<List<String>>at("$.store.holders[*].holder.instance"))
                .containsExactlyInAnyOrder("x.sY.1", "x.s1.1");
        assertThat(permits.<List<Object>>at("$.store.holders[*].since")).isEmpty();
        assertThat(permits.<List<Integer>>at("$.store.holders[*].permits")).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void shouldShowALockWhateverAnotherProgramHasWritten(RedisCli redis) {
        long seed = System.nanoTime();
        System.out.println("Seed of damaged locks: " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            List<String> command = DamagedLock.random("lock:{damaged}", random);
            redis.command("DEL", "lock:{damaged}");
            redis.command(command.toArray(String[]::new));

            Answer damaged = instance.get("/actuator/locks/damaged");

            assertThat(damaged.status()).as(command + " " + damaged.body()).isEqualTo(200);
            assertThat(damaged.<Object>at("$.store.error"))
                    .as(command.toString())
                    .isNull();
            assertThat(damaged.<Boolean>at("$.store.locked"))
                    .as(command.toString())
                    .isNotNull();
        }
    }

    @Test
    void shouldSayThatTheStoreDoesNotAnswer(FaultProxy proxy) throws Exception {
        Lease lease = registry.acquire(LockRequest.of("dark").withLease(Duration.ofSeconds(30)));
        proxy.blackHole();

        Answer known = instance.get("/actuator/locks/dark");
        Answer refused = instance.delete("/actuator/locks/dark");

        assertThat(known.status()).isEqualTo(200);
        assertThat(known.<Number>at("$.held.fencingToken").longValue()).isEqualTo(lease.fencingToken());
        assertThat(known.<String>at("$.store.error")).contains("dark");
        assertThat(known.<Object>at("$.store.locked")).isNull();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.<String>at("$.error")).contains("dark");
        assertThat(instance.post("/actuator/locks/dark", "{}").status()).isEqualTo(503);
        proxy.heal();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(instance.get("/actuator/locks/dark").<Boolean>at("$.store.locked"))
                                .isTrue());
        lease.release();
    }

    @Test
    void shouldRefuseANameThatNoLockCanHave() {
        assertThat(instance.get("/actuator/locks?name=").status()).isEqualTo(400);
        assertThat(instance.delete("/actuator/locks?name=" + "x".repeat(513)).status())
                .isEqualTo(400);
        assertThat(instance.delete("/actuator/locks").status()).isEqualTo(400);
        assertThat(instance.post("/actuator/locks?name=", "{}").status()).isEqualTo(400);
        assertThat(instance.post("/actuator/locks", "{}").status()).isEqualTo(400);
    }

    /** Its numbers come as int or long, as they fit. */
    private static Map<String, Object> of(String name, Answer locks) {
        List<Map<String, Object>> found = locks.at("$.held[?(@.name == '" + name + "')]");
        assertThat(found).as(locks.body()).hasSize(1);
        return found.get(0);
    }

    private static Duration time(Map<String, Object> lock, String name) {
        return Duration.parse(lock.get(name).toString());
    }
}
