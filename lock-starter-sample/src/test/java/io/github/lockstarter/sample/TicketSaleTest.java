package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two instances that share a Redis and a database file. */
@RedisTest
@Timeout(120)
class TicketSaleTest {

    private static final int SEATS = 50;
    private static final int BUYERS = 200;

    private static final ExecutorService observer = Executors.newSingleThreadExecutor();

    private static RedisCli redis;
    private static Instance first;
    private static Instance second;

    @BeforeAll
    static void start(@TempDir Path directory, RedisServer server) {
        redis = server.cli();
        String[] arguments = {
            "--spring.data.redis.port=" + server.port(),
            "--distributed-lock.wait-time=30s",
            "--tickets.payment-time=20ms"
        };
        first = Instance.start(directory, arguments);
        second = Instance.start(directory, arguments);
    }

    @AfterAll
    static void stop() {
        observer.shutdownNow();
        redis.close();
        second.close();
        first.close();
    }

    @Test
    void sellsEachSeatOnceToBuyersAtBothInstances() throws Exception {
        assertThat(first.post("/api/events/concert?seats=" + SEATS).status()).isEqualTo(201);

        List<Answer> answers = buyAllAtOnce("/api/events/concert/tickets");

        assertThat(answers.stream().collect(Collectors.groupingBy(Answer::status, Collectors.counting())))
                .isEqualTo(Map.of(201, (long) SEATS, 409, (long) BUYERS - SEATS));
        assertThat(answers.stream().filter(answer -> answer.status() == 201).map(answer -> answer.number("$.number")))
                .containsExactlyInAnyOrderElementsOf(numbers(SEATS));
        Answer event = second.get("/api/events/concert");
        assertThat(event.number("$.sold")).isEqualTo(SEATS);
        assertThat(event.number("$.left")).isZero();
        assertThat(event.numbers("$.tickets[*].number")).isEqualTo(numbers(SEATS));
        assertThat(event.numbers("$.tickets[*].token")).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void takesAFewPaymentsAtOnceFromBuyersAtBothInstances() throws Exception {
        first.post("/api/events/ballet?seats=" + SEATS);
        AtomicBoolean bought = new AtomicBoolean();
        Future<Long> most = observer.submit(() -> {
            long seen = 0;
            while (!bought.get()) {
                seen = Math.max(seen, paymentsInRedis());
            }
            return seen;
        });

        List<Answer> answers = buyAllAtOnce("/api/events/ballet/tickets");
        bought.set(true);

        assertThat(answers.stream().filter(answer -> answer.status() == 201)).hasSize(SEATS);
        assertThat(most.get()).isEqualTo(4);
    }

    /** One moment of both instances: the fields of the holders. */
    private static long paymentsInRedis() {
        List<?> fields = (List<?>) redis.command("HGETALL", "lock:{payment}");
        return fields.stream()
                .filter(field -> String.valueOf(field).startsWith("h:"))
                .count();
    }

    @Test
    void sellsNothingOnceItIsSoldOut() {
        first.post("/api/events/matinee?seats=1");
        assertThat(first.post("/api/events/matinee/tickets").status()).isEqualTo(201);

        first.post("/api/events/matinee/tickets").assertProblem(409, "sold out");
        second.post("/api/events/matinee/tickets").assertProblem(409, "sold out");
    }

    @Test
    void refusesABuyerWhoseLockIsOutdated() {
        first.post("/api/events/opera?seats=5");
        long token = first.post("/api/events/opera/tickets").number("$.token");

        raiseToken(token, Long.MAX_VALUE);
        second.post("/api/events/opera/slow-tickets?seconds=1").assertTryAgain("later buyer");
        second.post("/api/events/opera/tickets").assertTryAgain("later buyer");

        Answer event = first.get("/api/events/opera");
        assertThat(event.number("$.left")).isEqualTo(4);
        assertThat(event.numbers("$.tickets[*].token")).containsExactly(token);
        assertThat(second.get("/actuator/locks").number("$.fence.refused")).isEqualTo(2);
    }

    /** As if the owner with that token had been a later one. */
    private static void raiseToken(long token, long later) {
        int updated = first.bean(JdbcClient.class)
                .sql("update distributed_lock_fence set token = :later where token = :token")
                .param("later", later)
                .param("token", token)
                .update();
        assertThat(updated).isEqualTo(1);
    }

    @Test
    void opensAnEventOnce() {
        Answer opened = first.post("/api/events/fair?seats=3");
        assertThat(opened.status()).isEqualTo(201);
        assertThat(opened.headers().getLocation()).hasToString("/api/events/fair");
        assertThat(opened.number("$.seats")).isEqualTo(3);

        assertThat(second.post("/api/events/fair?seats=3").status()).isEqualTo(200);
        second.post("/api/events/fair?seats=4").assertProblem(409, "another number of seats");
    }

    @Test
    void refusesWhatMakesNoSense() {
        first.get("/api/events/nowhere").assertProblem(404, "nowhere");
        first.post("/api/events/nowhere/tickets").assertProblem(404, "nowhere");
        first.post("/api/events/nowhere/report?seconds=1").assertProblem(404, "nowhere");
        first.post("/api/events/fair?seats=0").assertProblem(400, "at least one seat");
        first.post("/api/events/fair?seats=many").assertProblem(400, "seats");
        first.post("/api/events/a b?seats=1").assertProblem(400, "letters");
        first.post("/api/events/ /tickets").assertProblem(404, "no event");
        first.post("/api/events/ /report?seconds=1").assertProblem(404, "no event");
        first.post("/api/events/fair/report?seconds=0").assertProblem(400, "3600");
        first.post("/api/events/fair/report?seconds=3601").assertProblem(400, "3600");
        first.post("/api/events/fair/slow-tickets?seconds=61").assertProblem(400, "60");
        first.get("/api/events/fair?seconds=61").assertProblem(400, "60");
    }

    private static List<Answer> buyAllAtOnce(String path) throws Exception {
        CyclicBarrier together = new CyclicBarrier(BUYERS);
        ExecutorService buyers = Executors.newFixedThreadPool(BUYERS);
        try {
            List<Callable<Answer>> purchases = new ArrayList<>();
            for (int buyer = 0; buyer < BUYERS; buyer++) {
                Instance instance = buyer % 2 == 0 ? first : second;
                purchases.add(() -> {
                    together.await();
                    return instance.post(path);
                });
            }
            List<Answer> answers = new ArrayList<>();
            for (Future<Answer> purchase : buyers.invokeAll(purchases)) {
                answers.add(purchase.get());
            }
            return answers;
        } finally {
            buyers.shutdownNow();
        }
    }

    private static List<Long> numbers(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(Long::valueOf).toList();
    }
}
