package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** Two instances that share a Redis and a database. */
@RedisTest
class BackOfficeTest {

    private static RedisCli redis;
    private static Instance first;
    private static Instance second;

    @BeforeAll
    static void start(@TempDir Path directory, RedisServer server) {
        redis = server.cli();
        String[] options = {"--spring.data.redis.port=" + server.port()};
        first = Instance.start(directory, options);
        second = Instance.start(directory, options);
    }

    @AfterAll
    static void stop() {
        redis.close();
        second.close();
        first.close();
    }

    @Test
    void refundsTheLastTicketWhileNobodyElseSells() throws Exception {
        open("circus", 2);
        first.post("/api/events/circus/tickets");
        first.post("/api/events/circus/tickets");

        CompletableFuture<Answer> refund;
        try (Lease sale = lock("event:circus")) {
            refund = CompletableFuture.supplyAsync(() -> second.delete("/api/events/circus/tickets/last"));
            awaitWaiter("event:circus");
            assertThat(first.bean(JdbcClient.class)
                            .sql("select sold from event where id = 'circus'")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(2);
            sale.ensureHeld();
        }

        assertThat(refund.get(10, TimeUnit.SECONDS).number("$.number")).isEqualTo(2);
        assertThat(first.get("/api/events/circus").numbers("$.tickets[*].number"))
                .containsExactly(1L);
        assertThat(first.post("/api/events/circus/tickets").number("$.number")).isEqualTo(2);
    }

    @Test
    void refusesARefundOfNothing() {
        open("empty", 1);

        first.delete("/api/events/empty/tickets/last").assertProblem(409, "no ticket");
        first.delete("/api/events/nowhere/tickets/last").assertProblem(404, "nowhere");
    }

    @Test
    void movesSeatsInBothDirectionsAtOnce() throws Exception {
        open("left", 100);
        open("right", 100);

        List<CompletableFuture<Answer>> moves = IntStream.range(0, 40)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> i % 2 == 0
                        ? first.post("/api/events/left/seats/move?to=right&seats=3")
                        : second.post("/api/events/right/seats/move?to=left&seats=2")))
                .toList();

        for (CompletableFuture<Answer> move : moves) {
            Answer answer = move.get(30, TimeUnit.SECONDS);
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        }
        assertThat(first.get("/api/events/left").number("$.seats")).isEqualTo(80);
        assertThat(first.get("/api/events/right").number("$.seats")).isEqualTo(120);
    }

    @Test
    void movesSeatsUnderTheLocksOfBothEvents() throws Exception {
        open("from", 2);
        open("to", 2);
        for (String event : List.of("from", "to")) {
            CompletableFuture<Answer> move;
            try (Lease sale = lock("event:" + event)) {
                move = CompletableFuture.supplyAsync(() -> second.post("/api/events/from/seats/move?to=to&seats=1"));
                awaitWaiter("event:" + event);
                assertThat(move).isNotDone();
                sale.ensureHeld();
            }
            assertThat(move.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
        }

        first.post("/api/events/from/seats/move?to=to&seats=1").assertProblem(409, "free seats");
        first.post("/api/events/from/seats/move?to=from&seats=1").assertProblem(400, "another event");
        first.post("/api/events/from/seats/move?to=nowhere&seats=1").assertProblem(404, "nowhere");
    }

    @Test
    void tellsTheSeatsThatWereLeftBeforeALongSale() throws Exception {
        open("slow", 3);
        Answer before = first.get("/api/events/slow/left");
        assertThat(before.number("$.left")).isEqualTo(3);

        try (Lease sale = lock("event:slow")) {
            assertThat(first.get("/api/events/slow/left").body()).isEqualTo(before.body());
            second.get("/api/events/slow/left").assertTryAgain("event:slow"); // it has not been asked before
            sale.ensureHeld();
        }
        first.post("/api/events/slow/tickets");
        assertThat(second.get("/api/events/slow/left").number("$.left")).isEqualTo(2);
        first.get("/api/events/nowhere/left").assertProblem(404, "nowhere");
    }

    @Test
    void printsOneAfterTheOtherOnBothInstances() throws Exception {
        open("print", 5);
        first.post("/api/events/print/tickets");

        List<CompletableFuture<Answer>> prints = Stream.of(first, second, first, second)
                .map(instance -> CompletableFuture.supplyAsync(() -> instance.post("/api/events/print/print")))
                .toList();
        CompletableFuture.allOf(prints.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);

        List<Answer> jobs = prints.stream()
                .map(CompletableFuture::join)
                .sorted(Comparator.comparing(job -> job.number("$.token")))
                .toList();
        assertThat(jobs).allSatisfy(job -> assertThat(job.number("$.tickets")).isEqualTo(1));
        for (int i = 1; i < jobs.size(); i++) {
            assertThat(time(jobs.get(i), "$.started")).isAfterOrEqualTo(time(jobs.get(i - 1), "$.finished"));
        }
        first.post("/api/events/nowhere/print").assertProblem(404, "nowhere");
    }

    @Test
    void countsOncePerPeriod() {
        // A count that has begun before this test has lost its lock, because the server was emptied.
        await().until(() -> Stream.of(first, second)
                .allMatch(instance ->
                        instance.bean(LockInventory.class).held("statistics").isEmpty()));
        Instant start = Instant.now();

        count(first);
        count(second);
        count(first);

        // none if the scheduler was faster; earlier counts are those of tests whose locks are gone
        List<String> counts = JsonPath.read(second.get("/api/statistics").body(), "$[*].countedAt");
        assertThat(counts).isNotEmpty();
        assertThat(counts.stream().map(Instant::parse).filter(count -> !count.isBefore(start)))
                .hasSizeLessThanOrEqualTo(1);
    }

    /** What the scheduler does every ten seconds. */
    private static void count(Instance instance) {
        instance.bean(ScheduledTaskHolder.class)
                .getScheduledTasks()
                .forEach(task -> task.getTask().getRunnable().run());
    }

    private static void open(String event, int seats) {
        assertThat(first.post("/api/events/" + event + "?seats=" + seats).status())
                .isEqualTo(201);
    }

    private static Lease lock(String name) throws InterruptedException {
        return first.bean(LockRegistry.class).acquire(LockRequest.of(name));
    }

    /** Waits until an instance stands in the line for the lock. */
    private static void awaitWaiter(String name) {
        await().until(() ->
                redis.command("HGET", "lock:{" + name + "}", "q") instanceof String line && !line.isEmpty());
    }

    private static Instant time(Answer answer, String path) {
        return Instant.parse(JsonPath.read(answer.body(), path));
    }
}
