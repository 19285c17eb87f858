package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks that another owner holds, whose leases end, and that cannot be acquired. */
@RedisTest
class LockTroubleTest {

    private static final String REPORT_KEY = "lock:{report:gala}";

    private final RedisServer redis;
    private Instance instance;

    LockTroubleTest(RedisServer redis) {
        this.redis = redis;
    }

    @BeforeEach
    void start(@TempDir Path directory) {
        instance = Instance.start(
                directory,
                "--spring.data.redis.port=" + redis.port(),
                "--distributed-lock.wait-time=500ms",
                "--distributed-lock.watchdog.timeout=6s",
                "--tickets.payment-time=20ms");
        instance.post("/api/events/rehearsal?seats=100");
        instance.post("/api/events/gala?seats=5");
        awaitSale("rehearsal"); // the connection for locks is opened in the background
    }

    @AfterEach
    void stop() {
        instance.close();
    }

    @Test
    void writesOneReportAtATimeWhileTicketsSell() throws Exception {
        CompletableFuture<Answer> report = startReport(6);

        instance.post("/api/events/gala/report?seconds=6").assertProblem(423, "being written");
        assertThat(instance.post("/api/events/gala/tickets").status()).isEqualTo(201);
        Answer lock = instance.get("/actuator/locks/report:gala");
        Answer page = instance.get("/locks/data");

        Answer written = report.get(30, TimeUnit.SECONDS);
        assertThat(written.status()).as(written.body()).isEqualTo(200);
        assertThat(written.number("$.seconds")).isEqualTo(6);
        assertThat(written.number("$.soldAtStart")).isZero();
        assertThat(written.number("$.sold")).isEqualTo(1);
        assertThat(page.body()).contains("\"report:gala\"");
        assertThat(lock.number("$.held.fencingToken"))
                .isEqualTo(lock.number("$.store.fencingToken"))
                .isEqualTo(written.number("$.token"));
        assertThat(instance.post("/api/events/gala/report?seconds=1").number("$.token"))
                .isGreaterThan(written.number("$.token"));
    }

    @Test
    void stopsAReportWhoseLockIsGone() throws Exception {
        CompletableFuture<Answer> report = startReport(3600);

        try (var cli = redis.cli()) {
            cli.command("DEL", REPORT_KEY);
        }

        report.get(30, TimeUnit.SECONDS).assertTryAgain("report:gala");
    }

    @Test
    void asksToTryAgainWhileSomebodyElseSells() throws InterruptedException {
        try (Lease lease = instance.bean(LockRegistry.class).acquire(LockRequest.of("event", "gala"))) {
            instance.post("/api/events/gala/tickets").assertTryAgain("event:gala");
            assertThat(lease.isHeld()).isTrue();
        }
        assertThat(instance.post("/api/events/gala/tickets").status()).isEqualTo(201);
    }

    @Test
    void asksToTryAgainWhileRedisIsAway() {
        redis.kill();

        instance.post("/api/events/gala/tickets").assertTryAgain("payment");

        redis.restart();
        awaitSale("gala");
        assertThat(instance.get("/api/events/gala").number("$.sold")).isEqualTo(1);
    }

    private void awaitSale(String event) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> instance.post("/api/events/" + event + "/tickets").status() == 201);
    }

    private CompletableFuture<Answer> startReport(int seconds) {
        CompletableFuture<Answer> report =
                CompletableFuture.supplyAsync(() -> instance.post("/api/events/gala/report?seconds=" + seconds));
        try (var cli = redis.cli()) {
            await().until(() -> cli.command("EXISTS", REPORT_KEY).equals(1L));
        }
        return report;
    }
}
