package io.github.lockstarter.ui;

import static io.github.lockstarter.ui.Instance.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.DamagedLock;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.ui.Instance.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the page gets over HTTP, on a real Redis. */
@RedisTest
@Timeout(90)
class LocksPageRedisTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Instance shop;

    private static LockRegistry registry;

    @BeforeAll
    static void start(FaultProxy proxy) {
        shop = Instance.start(
                "--spring.application.name=shop",
                "--spring.data.redis.host=" + proxy.host(),
                "--spring.data.redis.port=" + proxy.port(),
                "--distributed-lock.redis.command-timeout=1s",
                "--management.endpoint.locks.access=unrestricted");
        registry = shop.bean(LockRegistry.class);
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    private static String lock(String name) {
        return "$.locks[?(@.name=='" + name + "')].";
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // JsonPath's own shape
    private static <T> T only(Answer answer, String path) {
        List<T> found = answer.at(path);
        assertThat(found).as(path + " in " + answer.body()).hasSize(1);
        return found.get(0);
    }

    @Test
    void shouldShowTheLocksOfAllInstances(RedisServer redis) throws Exception {
        try (Instance billing = Instance.start(
                "--spring.application.name=billing",
                "--spring.data.redis.host=" + redis.host(),
                "--spring.data.redis.port=" + redis.port())) {
            LockRegistry other = billing.bean(LockRegistry.class);
            LockRequest reading = LockRequest.of("prices").withMode(LockMode.READ);
            Lease invoice = other.acquire(LockRequest.of("invoice"));
            Lease order = registry.acquire(LockRequest.of("order").withLease(PATIENCE));
            List<Lease> readers = List.of(registry.acquire(reading), other.acquire(reading));
            List<Lease> permits = List.of(
                    registry.acquire(LockRequest.of("export").withPermits(2, 5)),
                    other.acquire(LockRequest.of("export").withPermits(3, 5)));
            CompletableFuture<Lease> waiter = registry.acquireAsync(
                            LockRequest.of("invoice").withWaitTime(PATIENCE))
                    .toCompletableFuture();

            // The description of an instance that was not there yet is read again after five seconds.
            await().atMost(PATIENCE).pollInSameThread().untilAsserted(() -> {
                Answer data = shop.get("/locks/data");
                assertThat(data.<List<String>>at("$.locks[*].name"))
                        .containsExactlyInAnyOrder("invoice", "order", "prices", "export");
                assertThat(data.<List<?>>at("$.instances[*][?(@.application=='billing')]"))
                        .hasSize(1);
                assertThat(data.<List<Integer>>at(lock("invoice") + "waiting")).containsExactly(1);
            });

            Answer data = shop.get("/locks/data");
            assertThat(data.<Object>at("$.cursor")).isNull();
            assertThat(data.<Object>at("$.only")).isNull();
            String theirs = only(data, lock("invoice") + "holder");
            String ours = only(data, lock("order") + "holder");
            assertThat(data.<String>at("$.instances['" + theirs + "'].application"))
                    .isEqualTo("billing");
            assertThat(data.<String>at("$.instances['" + ours + "'].application"))
                    .isEqualTo("shop");
            assertThat(data.<Number>at("$.instances['" + ours + "'].pid").longValue())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(PageTests.<String>list(data, lock("invoice") + "mode")).containsExactly("WRITE");
            assertThat(PageTests.<String>list(data, lock("invoice") + "token"))
                    .containsExactly(Long.toString(invoice.fencingToken()));
            assertThat(PageTests.<Object>list(data, lock("invoice") + "held"))
                    .as("renewals and thread of another instance")
                    .isEmpty();
            assertThat(PageTests.<Integer>list(data, lock("invoice") + "waitersHere"))
                    .containsExactly(1);
            assertThat(PageTests.<String>list(data, lock("invoice") + "line[*].instance"))
                    .containsExactly(ours);
            assertThat(PageTests.<Boolean>list(data, lock("order") + "held.renewed"))
                    .containsExactly(false);
            assertThat(PageTests.<Number>list(data, lock("order") + "since"))
                    .extracting(Number::longValue)
                    .containsExactly(order.fencingToken() / 1000);
            assertThat(PageTests.<Integer>list(data, lock("order") + "remaining"))
                    .allSatisfy(millis -> assertThat(millis).isBetween(1, 30_000));
            assertThat(data.<String>at("$.application")).isEqualTo("shop");
            assertThat(PageTests.<String>list(data, lock("prices") + "mode")).containsExactly("READ");
            assertThat(PageTests.<Number>list(data, lock("prices") + "since"))
                    .as("the oldest of them")
                    .extracting(Number::longValue)
                    .containsExactly(readers.get(0).fencingToken() / 1000);
            assertThat(PageTests.<String>list(data, lock("prices") + "holders[*].instance"))
                    .containsExactly(ours, theirs);
            assertThat(PageTests.<Integer>list(data, lock("export") + "permits"))
                    .containsExactly(5);
            assertThat(PageTests.<Integer>list(data, lock("export") + "holders[*].permits"))
                    .containsExactly(2, 3);

            assertThat(shop.get("/locks/data?text=rice").<List<String>>at("$.locks[*].name"))
                    .containsExactly("prices");

            invoice.release();
            waiter.get(30, TimeUnit.SECONDS).release();
            order.release();
            readers.forEach(Lease::release);
            permits.forEach(Lease::release);
            assertThat(shop.get("/locks/data").<List<?>>at("$.locks")).isEmpty();
        }
    }

    @Test
    void shouldListTheFirstOfManyLocksQuickly(RedisCli redis) {
        PageTests.createLocks(redis, 10_000);
        redis.command("CONFIG", "RESETSTAT");
        long start = System.nanoTime();

        Answer first = shop.get("/locks/data");

        System.out.printf("First 100 of 10,000 locks: %d ms%n", (System.nanoTime() - start) / 1_000_000);
        assertThat(redis.infoCommandStats().get("scan")).as("calls of SCAN").isLessThanOrEqualTo(3);
        assertThat(redis.infoCommandStats()).doesNotContainKey("keys");
        List<String> names = first.at("$.locks[*].name");
        assertThat(names).hasSizeBetween(100, 300).allMatch(name -> name.matches("many:\\d+"));
        List<String> others = shop.get("/locks/data?count=400&cursor=" + encoded(first.at("$.cursor")))
                .at("$.locks[*].name");
        assertThat(others).hasSizeBetween(400, 1200).doesNotContainAnyElementsOf(names);
        assertThat(shop.get("/locks/data?text=many:9999").<List<String>>at("$.locks[*].name"))
                .containsExactly("many:9999");
    }

    static Stream<String> hostileNames() {
        return PageTests.hostileNames().stream();
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void shouldShowAndReleaseALockOfAnyName(String name) throws Exception {
        Lease lease = registry.acquire(LockRequest.of(name));
        Answer data = shop.get("/locks/data?text=" + encoded(name.substring(0, Math.min(200, name.length()))));
        assertThat(data.<List<String>>at("$.locks[*].name")).containsExactly(name);
        assertThat(data.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));

        Answer released = shop.release(name, data.at("$.locks[0].token"));

        assertThat(released.<String>at("$.outcome")).isEqualTo("RELEASED");
        assertThat(lease.release()).as("still ours").isFalse();
        assertThat(shop.get("/locks/data").<List<?>>at("$.locks")).isEmpty();
        assertThat(shop.release(name, "1").<String>at("$.outcome")).isEqualTo("FREE");
    }

    @Test
    void shouldNotReleaseTheLockOfAnotherOwnerThanTheOneThatWasShown() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("busy"));

        assertThat(shop.release("busy", Long.toString(lease.fencingToken() - 1)).<String>at("$.outcome"))
                .isEqualTo("CHANGED");
        assertThat(lease.release()).as("still ours").isTrue();
    }

    @Test
    void shouldReleaseReaders() throws Exception {
        LockRequest reading = LockRequest.of("prices").withMode(LockMode.READ);
        Lease reader = registry.acquire(reading);

        assertThat(shop.release("prices", "1").<String>at("$.outcome"))
                .as("an exclusive owner was shown")
                .isEqualTo("CHANGED");
        assertThat(shop.release("prices", "").<String>at("$.outcome")).isEqualTo("RELEASED");
        assertThat(reader.release()).as("still ours").isFalse();
    }

    @Test
    void shouldAskTheOwnersOfLocks() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("busy"));
        LockRequest permit = LockRequest.of("exports").withPermits(1, 2);
        List<Lease> permits = List.of(registry.acquire(permit), registry.acquire(permit));
        registry.acquire(LockRequest.of("over").withMinHold(PATIENCE)).release();
        Answer before = completeData();
        assertThat(before.<Boolean>at("$.mayAsk")).isTrue();
        assertThat(PageTests.<Boolean>list(before, lock("busy") + "held.asked")).containsExactly(false);
        List<String> holders = before.at(lock("exports") + "holders[*].id");

        assertThat(shop.ask("busy", Long.toString(lease.fencingToken() - 1)).<String>at("$.outcome"))
                .as("another owner was shown")
                .isEqualTo("CHANGED");
        assertThat(lease.isReleaseRequested()).isFalse();
        assertThat(shop.ask("busy", Long.toString(lease.fencingToken())).<String>at("$.outcome"))
                .isEqualTo("ASKED");
        assertThat(lease.isReleaseRequested()).isTrue();
        assertThat(shop.post(
                                "/locks/ask",
                                Map.of("id", Instance.id("exports"), "token", "", "holder", holders.get(1)),
                                "X-Requested-With",
                                "test")
                        .<String>at("$.outcome"))
                .isEqualTo("ASKED");
        assertThat(permits).extracting(Lease::isReleaseRequested).containsExactly(false, true);
        String token = only(before, lock("over") + "token");
        assertThat(shop.ask("over", token).<String>at("$.outcome")).isEqualTo("UNOWNED");
        assertThat(shop.ask("free", "").<String>at("$.outcome")).isEqualTo("FREE");

        Answer after = completeData();
        assertThat(PageTests.<Boolean>list(after, lock("busy") + "held.asked")).containsExactly(true);
        assertThat(PageTests.<Boolean>list(after, lock("exports") + "holders[*].asked"))
                .containsExactly(false, true);
        permits.forEach(Lease::release);
        assertThat(lease.release()).as("still ours").isTrue();
    }

    /** Returns data in which all locks were read in time. */
    private static Answer completeData() {
        return await().atMost(PATIENCE)
                .pollInSameThread()
                .until(
                        () -> shop.get("/locks/data"),
                        data -> data.status() == 200
                                && data.<List<?>>at("$.locks[*].late").isEmpty());
    }

    @Test
    void shouldSayThatNoMessageCanBeSent(RedisServer redis) throws Exception {
        Lease lease = registry.acquire(LockRequest.of("busy"));
        try (Instance polling = Instance.polling(redis)) {

            Answer refused = polling.ask("busy", Long.toString(lease.fencingToken()));

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.<String>at("$.error")).contains("distributed-lock.redis.messages");
        }
        lease.release();
    }

    @Test
    void shouldRejectWhatNoPageSends() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("safe"));
        String token = Long.toString(lease.fencingToken());

        assertThat(shop.post("/locks/release", Map.of("id", Instance.id("safe"), "token", token))
                        .status())
                .as("a form of another site")
                .isEqualTo(403);
        assertThat(shop.post("/locks/ask", Map.of("id", Instance.id("safe"), "token", token))
                        .status())
                .as("a form of another site")
                .isEqualTo(403);
        assertThat(shop.get("/locks/release?name=safe&token=" + token).status()).isEqualTo(405);
        assertThat(shop.release("", "").status()).isEqualTo(400);
        assertThat(shop.post("/locks/release", Map.of("id", "safe"), "X-Requested-With", "test")
                        .status())
                .isEqualTo(400);
        assertThat(shop.post("/locks/release", Map.of(), "X-Requested-With", "test")
                        .status())
                .isEqualTo(400);
        assertThat(shop.get("/locks/data?cursor=x").status()).isEqualTo(400);
        assertThat(shop.get("/locks/data?cursor=own-x").<String>at("$.error")).isEqualTo("This is no cursor.");
        assertThat(shop.get("/locks/data?count=x").status()).isEqualTo(400);
        assertThat(shop.get("/locks/LocksPage.class").status()).isEqualTo(404);
        assertThat(shop.get("/locks/nothing").status()).isEqualTo(404);
        assertThat(lease.isReleaseRequested()).isFalse();
        assertThat(lease.release()).as("still ours").isTrue();
    }

    @Test
    void shouldNameTheMethodsOfAPath(RedisServer redis) {
        for (String path : List.of("/locks/", "/locks/locks.js", "/locks/data")) {
            assertNotAllowed(shop.request("PUT", path), "GET, HEAD");
            assertNotAllowed(shop.post(path, Map.of()), "GET, HEAD");
        }
        assertNotAllowed(shop.request("DELETE", "/locks/release"), "POST");
        assertNotAllowed(shop.get("/locks/release"), "POST");
        assertNotAllowed(shop.get("/locks/ask"), "POST");
        assertThat(shop.request("PUT", "/locks/nothing").headers().firstValue("Allow"))
                .isEmpty();
        try (Instance readOnly = Instance.start(
                "--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port())) {
            assertNotAllowed(readOnly.release("order", "1"), "");
            assertNotAllowed(readOnly.get("/locks/release"), "");
            assertNotAllowed(readOnly.ask("order", "1"), "");
            assertThat(readOnly.get("/locks/data").<Boolean>at("$.mayAsk")).isFalse();
        }
    }

    private static void assertNotAllowed(Answer answer, String methods) {
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).hasValue(methods);
    }

    @Test
    void shouldReleaseTheLockWhoseNameHasAnUnpairedSurrogate() throws Exception {
        String name = "order:a\uD800";
        Lease lease = registry.acquire(LockRequest.of(name));
        Lease other = registry.acquire(LockRequest.of("order:a?"));

        Answer data = shop.get("/locks/data");
        Answer released = shop.release(name, Long.toString(lease.fencingToken()));

        assertThat(data.<List<String>>at("$.locks[*].name")).containsExactlyInAnyOrder(name, "order:a?");
        assertThat(data.<List<String>>at("$.locks[*].id"))
                .containsExactlyInAnyOrder(Instance.id(name), Instance.id("order:a?"));
        assertThat(released.<String>at("$.outcome")).isEqualTo("RELEASED");
        assertThat(lease.release()).as("still ours").isFalse();
        assertThat(other.release()).as("the other one is still ours").isTrue();
    }

    @Test
    void shouldShowLocksWhateverAnotherProgramHasWritten(RedisCli redis) {
        long seed = System.nanoTime();
        System.out.println("Seed of damaged locks: " + seed);
        Random random = new Random(seed);
        redis.command(
                "HSET", "lock:instance:Dm5aG6eD7lK", "application", "x", "pid", "9", "started", "9" + "0".repeat(18));
        redis.command("HSET", "lock:{right}", "o", "Dm5aG6eD7lK-0000000000", "f", "1795758698000000");
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 50; i++) {
                redis.command("DEL", "lock:{damaged:" + i + '}');
                redis.command(
                        DamagedLock.random("lock:{damaged:" + i + '}', random).toArray(String[]::new));
            }

            Answer data = shop.get("/locks/data?count=1000");

            assertThat(data.status()).as(data.body()).isEqualTo(200);
            assertThat(data.<List<Object>>at("$.locks[*].error")).isEmpty();
            assertThat(PageTests.<Number>list(data, lock("right") + "since"))
                    .extracting(Number::longValue)
                    .containsExactly(1795758698000L);
        }
    }

    @Test
    void shouldReadLocksInBatchesOverALongLine(RedisCli redis, FaultProxy proxy) {
        PageTests.createLocks(redis, 300);
        assertThat(shop.get("/locks/data?count=0").<List<?>>at("$.locks"))
                .as("locks of a part that asks for none")
                .isNotEmpty();
        proxy.delay(Duration.ofMillis(25), Duration.ofMillis(25));
        long start = System.nanoTime();

        Answer data = shop.get("/locks/data?count=300");

        // With a round trip for each lock, it takes 15 seconds.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(data.<List<?>>at("$.locks")).hasSize(300);
        assertThat(data.<List<?>>at("$.locks[*].late")).isEmpty();
        assertThat(data.<List<?>>at("$.locks[*].token")).hasSize(300);
    }

    @Test
    void shouldEndInTimeAndNameTheLocksThatWereNotRead(RedisCli redis, FaultProxy proxy) {
        PageTests.createLocks(redis, 1000);
        proxy.delay(Duration.ofMillis(75), Duration.ofMillis(75));
        // All ten batches take more than 1.5 seconds, and the limit is one second, in which a busy machine may read
        // none.
        await().atMost(PATIENCE).untilAsserted(() -> {
            long start = System.nanoTime();

            Answer data = shop.get("/locks/data?count=1000");

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
            assertThat(data.status()).as(data.body()).isEqualTo(200);
            assertThat(data.<List<?>>at("$.locks[*].late")).isNotEmpty();
            assertThat(data.<List<?>>at("$.locks[*].token")).isNotEmpty();
            assertThat(data.<List<?>>at("$.locks[?(@.late && @.token)]")).isEmpty();
        });
    }

    @Test
    void shouldScanFewKeysInOneCall(RedisCli redis, FaultProxy proxy) {
        PageTests.createLocks(redis, 3000);
        proxy.forgetCommands();

        assertThat(shop.get("/locks/data?count=1000").status()).isEqualTo(200);
        assertThat(shop.get("/locks/data?text=nothing").status()).isEqualTo(200);

        assertThat(proxy.commandsSeen(command -> keysOfScan(command) > 0)).isPositive();
        assertThat(proxy.commandsSeen(command -> keysOfScan(command) > 500)).isZero();
    }

    /** Returns the number of keys of one call; 0 for another command. */
    private static int keysOfScan(List<String> command) {
        return command.size() == 7 && command.get(5).contains("{*") ? Integer.parseInt(command.get(6)) : 0;
    }

    @Test
    void shouldServeThePageWithStrictHeaders() {
        Answer moved = shop.get("/locks");
        assertThat(moved.status()).isEqualTo(302);
        assertThat(moved.headers().firstValue("Location")).as("relative").hasValue("locks/");
        for (String file : List.of("", "locks.css", "locks.js", "data")) {
            Answer answer = shop.get("/locks/" + file);
            assertThat(answer.status()).as(file).isEqualTo(200);
            Map<String, List<String>> headers = answer.headers().map();
            assertThat(headers).containsEntry("cache-control", List.of("no-store"));
            assertThat(headers).containsEntry("x-frame-options", List.of("DENY"));
            assertThat(headers).containsEntry("x-content-type-options", List.of("nosniff"));
            assertThat(headers).containsEntry("referrer-policy", List.of("same-origin"));
            assertThat(headers.get("content-type").get(0).replaceFirst(";.*", ""))
                    .as("type of '%s'", file)
                    .isEqualTo(Map.of(
                                    "", "text/html",
                                    "locks.css", "text/css",
                                    "locks.js", "text/javascript",
                                    "data", "application/json")
                            .get(file));
            assertThat(headers.get("content-security-policy").get(0).split("; "))
                    .as("what a browser may load, send and show in a frame")
                    .containsExactlyInAnyOrder(
                            "default-src 'none'",
                            "script-src 'self'",
                            "style-src 'self'",
                            "connect-src 'self'",
                            "img-src data:",
                            "base-uri 'none'",
                            "form-action 'none'",
                            "frame-ancestors 'none'");
        }
        assertThat(shop.get("/locks/").body()).doesNotContainPattern("<style|style=|<script>| on\\w+=|https?://");
        assertThat(shop.get("/locks/locks.js").body())
                .doesNotContainPattern("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|https?://");
        assertThat(shop.get("/locks/locks.css").body()).doesNotContainPattern("https?://|@import|url\\(");
    }

    @Test
    void shouldShowAKeyThatIsNoLockAsAnError(RedisCli redis) {
        String longName = "x".repeat(10_000);
        redis.command("SET", "lock:{foreign}", "text");
        redis.command("HSET", "lock:{" + longName + "}", "o", "no lock has such a name");
        redis.command("HSET", "lock:instances", "o", "no lock");

        Answer data = shop.get("/locks/data");

        assertThat(data.<List<String>>at("$.locks[*].name")).containsExactlyInAnyOrder("foreign", longName);
        assertThat(PageTests.<String>list(data, lock("foreign") + "error"))
                .singleElement()
                .asString()
                .contains("foreign");
        assertThat(shop.release(longName, "").status()).isEqualTo(400);
    }

    @Test
    void shouldFailWithoutAnAnswerOfRedis(FaultProxy proxy) throws Exception {
        Lease lease = registry.acquire(LockRequest.of("dark").withLease(Duration.ofMinutes(2)));
        proxy.blackHole();

        Answer data = shop.get("/locks/data");
        Answer released = shop.release("dark", Long.toString(lease.fencingToken()));

        assertThat(data.status()).isEqualTo(503);
        assertThat(data.<String>at("$.error")).isNotBlank();
        assertThat(data.<Object>at("$.locks")).isNull();
        assertThat(released.status()).isEqualTo(503);
        assertThat(shop.ask("dark", "").status()).isEqualTo(503);
        proxy.heal();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(shop.get("/locks/data").<List<String>>at("$.locks[*].name"))
                        .contains("dark"));
        lease.release();
    }

    @Test
    void shouldShowTheLocksOfThisInstanceWithoutPermissionForScan(RedisServer redis, RedisCli cli) throws Exception {
        cli.command("ACL", "SETUSER", "noscan", "on", ">secret", "~*", "&*", "+@all", "-scan");
        try (Instance limited = Instance.start(
                "--spring.data.redis.host=" + redis.host(),
                "--spring.data.redis.port=" + redis.port(),
                "--spring.data.redis.username=noscan",
                "--spring.data.redis.password=secret")) {
            LockRegistry here = limited.bean(LockRegistry.class);
            registry.acquire(LockRequest.of("theirs"));
            for (int i = 0; i < 5; i++) {
                here.acquire(LockRequest.of("ours:" + i));
            }

            Answer first = limited.get("/locks/data?count=3");
            Answer second = limited.get("/locks/data?count=3&cursor=" + first.at("$.cursor"));

            assertThat(first.<String>at("$.only")).isEqualTo("permission");
            assertThat(second.<String>at("$.only")).isEqualTo("permission");
            assertThat(first.<List<String>>at("$.locks[*].name")).containsExactly("ours:0", "ours:1", "ours:2");
            assertThat(second.<List<String>>at("$.locks[*].name")).containsExactly("ours:3", "ours:4");
            assertThat(second.<Object>at("$.cursor")).isNull();
            assertThat(limited.get("/locks/data?cursor=0-7").<List<?>>at("$.locks"))
                    .as("with a cursor of the scan")
                    .hasSize(5);
            assertThat(limited.get("/locks/data?text=s:4").<List<String>>at("$.locks[*].name"))
                    .containsExactly("ours:4");
        } finally {
            cli.command("ACL", "DELUSER", "noscan");
        }
    }
}
