package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringVersion;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An application of this line of Spring Boot, as users have it: whatever is asked of a starter works. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class LineTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Executor THREADS = task -> new Thread(task).start();

    private static final RedisServer REDIS = RedisServer.start();

    private final ConfigurableApplicationContext context;

    private final Orders orders;

    private final Ledger ledger;

    private final Actuator actuator;

    @Autowired
    LineTest(ConfigurableApplicationContext context, Orders orders, Ledger ledger) {
        this.context = context;
        this.orders = orders;
        this.ledger = ledger;
        this.actuator = new Actuator(context.getEnvironment());
    }

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.port", REDIS::port);
        properties.add("distributed-lock.locks.[order].max-hold", () -> "1h");
    }

    @AfterAll
    static void stopRedis() {
        REDIS.close();
    }

    @Test
    void shouldBeThisLine() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("line.spring-boot"));
        assertThat(SpringVersion.getVersion()).isEqualTo(System.getProperty("line.spring-framework"));
    }

    @Test
    void shouldLockAnnotatedMethods() {
        try (RedisCli redis = REDIS.cli()) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            Lease lease = hold("mia", 1, end);

            assertThat(this.orders.isFree("mia", 1)).isFalse();
            assertThat(this.orders.isFree("mia", 2)).isTrue();
            assertThat(redis.exists("lock:{order:mia-1}")).isTrue();
            end.complete(null);

            assertThat(this.orders.settle(new Order(new Order.Customer("mia"), 1)))
                    .isGreaterThan(lease.fencingToken());
            assertThat(redis.exists("lock:{order:mia-1}")).isFalse();
        }
    }

    @Test
    void shouldRenewWhatIsHeldForLong() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Lease lease = hold("renewed", 1, end);

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(measurement("renewal", "outcome:renewed", "COUNT"))
                        .isPositive());
        assertThat(lease.isHeld()).isTrue();
        end.complete(null);
    }

    @Test
    void shouldMeasure() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        double acquired = measurement("acquire", "outcome:acquired", "COUNT");
        hold("measured", 1, end);

        assertThat(measurement("acquire", "outcome:acquired", "COUNT")).isGreaterThan(acquired);
        assertThat(measurement("active", "", "VALUE")).isPositive();
        end.complete(null);
    }

    @Test
    void shouldShowLocksAndTheirHealth() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Lease lease = hold("shown", 1, end);

        assertThat(this.actuator.get("locks").body())
                .contains("\"order:shown-1\"", "\"property distributed-lock.locks.order.max-hold\"");
        DocumentContext lock =
                JsonPath.parse(this.actuator.get("locks/order:shown-1").body());
        assertThat(lock.<Long>read("$.held.fencingToken")).isEqualTo(lease.fencingToken());
        assertThat(lock.<String>read("$.held.remaining")).startsWith("PT");
        assertThat(lock.<Boolean>read("$.store.locked")).isTrue();
        assertThat(this.actuator.send("DELETE", "locks/order:shown-1").statusCode())
                .as("not allowed unless configured")
                .isEqualTo(405);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(JsonPath.<String>read(
                                this.actuator.get("health").body(), "$.components.distributedLock.status"))
                        .isEqualTo("UP"));
        assertThat(lease.isHeld()).isTrue();
        end.complete(null);
    }

    @Test
    void shouldCommitUnderTheLockOnly() {
        this.ledger.book("kept", false);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.ledger.book("refused", true));

        assertThat(this.ledger.entries("kept")).isEqualTo(1);
        assertThat(this.ledger.entries("refused")).isZero();
    }

    /** As for a checkpoint and after it was restored, or as tests pause the contexts that they do not need just now. */
    @Test
    void shouldLockAgainAfterStopAndStart() throws Exception {
        try (Neighbour neighbour = Neighbour.at(REDIS.port());
                RedisCli redis = REDIS.cli()) {
            String inbox = inboxWhenWokenBy(neighbour, redis);

            this.context.stop();

            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(String.valueOf(redis.command("CLIENT", "LIST")))
                            .contains("neighbour")
                            .doesNotContain("application"));
            assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.orders.isFree("mia", 1));
            this.context.start();

            assertThat(inboxWhenWokenBy(neighbour, redis)).as("a new instance").isNotEqualTo(inbox);
            shouldLockAnnotatedMethods();
            shouldMeasure();
        }
    }

    private Lease hold(String customer, int number, CompletableFuture<?> end) {
        CompletableFuture<Lease> held = new CompletableFuture<>();
        CompletableFuture<Void> unused = CompletableFuture.runAsync(
                        () -> this.orders.hold(customer, number, held, end), THREADS)
                .whenComplete((nothing, failure) -> {
                    if (failure != null) {
                        held.completeExceptionally(failure);
                    }
                });
        return held.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** The channel over which the application hears that the lock it waits for was handed to it. */
    private String inboxWhenWokenBy(Neighbour neighbour, RedisCli redis) throws Exception {
        Lease lease = neighbour.acquire("order:waiting-1");
        CompletableFuture<Long> granted = CompletableFuture.supplyAsync(
                () -> this.orders.settle(new Order(new Order.Customer("waiting"), 1)), THREADS);
        await().atMost(LIMIT)
                .until(() -> redis.hgetall("lock:{order:waiting-1}").containsKey("q"));
        // It subscribes after it has joined the line.
        await().atMost(LIMIT).until(() -> !inboxes(redis).equals("[]"));
        String inbox = inboxes(redis);
        lease.release();

        assertThat(granted).succeedsWithin(LIMIT).asInstanceOf(LONG).isGreaterThan(lease.fencingToken());
        return inbox;
    }

    private static String inboxes(RedisCli redis) {
        return String.valueOf(redis.command("PUBSUB", "CHANNELS", "lock:inbox:*"));
    }

    private double measurement(String meter, String tag, String statistic) {
        HttpResponse<String> response =
                this.actuator.get("metrics/distributed.lock." + meter + (tag.isEmpty() ? "" : "?tag=" + tag));
        if (response.statusCode() == 404) {
            return 0;
        }
        List<Number> values =
                JsonPath.read(response.body(), "$.measurements[?(@.statistic=='" + statistic + "')].value");
        return values.get(0).doubleValue();
    }
}
