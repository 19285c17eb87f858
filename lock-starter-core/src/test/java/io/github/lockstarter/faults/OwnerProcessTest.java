package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The process of an owner or of a waiter is killed, stands still, or is cut off from Redis for good. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class OwnerProcessTest extends FaultFixture {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final Duration START = Duration.ofSeconds(60);

    private static final String KEY = "lock:{job}";

    private final List<WorkerJvm> workers = new ArrayList<>();

    @AfterEach
    void endWorkers() {
        this.workers.forEach(WorkerJvm::close);
    }

    private WorkerJvm worker(Duration lease, Duration pollInterval) {
        WorkerJvm worker = WorkerJvm.start(
                Worker.class,
                Integer.toString(this.server.port()),
                "job",
                Long.toString(lease.toMillis()),
                Long.toString(pollInterval.toMillis()));
        this.workers.add(worker);
        return worker;
    }

    /** The token of the lock that the process holds. */
    private static long awaitToken(WorkerJvm worker) throws InterruptedException {
        return Long.parseLong(
                worker.awaitLine(line -> line.startsWith("held "), START).substring("held ".length()));
    }

    private static String answer(WorkerJvm worker, String order) throws InterruptedException {
        worker.send(order);
        return worker.awaitLine(line -> line.startsWith(order + ' '), START).substring(order.length() + 1);
    }

    @Test
    void shouldKeepTheLockOverAMomentAndLeaveItToTheNextWhenItIsKilled() throws Exception {
        Duration lease = Duration.ofSeconds(4);
        WorkerJvm owner = worker(lease, Duration.ofMillis(150));
        long token = awaitToken(owner);
        Instance instance = this.instances.at(this.server, setup -> setup.lease(lease));
        CompletableFuture<Lease> waiter = inThread(() -> instance.acquire("job"));

        owner.pause();
        // past the moment at which it would have renewed
        soon().until(() -> this.redis.pttl(KEY) < lease.toMillis() * 6 / 10);
        owner.resume();

        soon().until(() -> this.redis.pttl(KEY) > lease.toMillis() * 9 / 10);
        assertThat(answer(owner, "state")).isEqualTo("HELD");
        assertThat(waiter.isDone()).isFalse();

        owner.kill();
        long killedAt = System.nanoTime();

        Lease next = get(waiter);
        assertThat(since(killedAt)).isLessThan(lease.multipliedBy(4));
        assertThat(next.fencingToken()).isGreaterThan(token);
        assertThat(next.release()).isTrue();
    }

    @Test
    void shouldNotifyAPausedProcessOfItsLoss() throws Exception {
        WorkerJvm owner = worker(LEASE, Duration.ofMillis(150));
        long token = awaitToken(owner);
        Instance instance = this.instances.at(this.server, Setup::calm);

        owner.pause();
        Lease lease = instance.acquire("job");
        assertThat(lease.fencingToken()).isGreaterThan(token);
        String id = ownerOf(KEY);
        owner.resume();

        assertThat(answer(owner, "state")).as("at its first look").isEqualTo("LOST");
        assertThat(answer(owner, "ensure")).isEqualTo("EXPIRED");
        assertThat(answer(owner, "release")).isEqualTo("false");
        // the owner's connections are alive: what it might still want to send, it can
        long pttl = this.redis.pttl(KEY);
        soon().until(() -> this.redis.pttl(KEY) > pttl);
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", id);
        assertThat(lease.release()).as("not deleted").isTrue();
    }

    /** An instance in a process of its own: acquires a lock, and then obeys orders, line by line. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            Instance instance = new Instances()
                    .at(
                            Integer.parseInt(arguments[0]),
                            setup -> setup.lease(Duration.ofMillis(Long.parseLong(arguments[2])))
                                    .pollInterval(Duration.ofMillis(Long.parseLong(arguments[3]))));
            Lease lease =
                    instance.registry().acquire(LockRequest.of(arguments[1]).withWaitTime(LONG));
            System.out.println("held " + lease.fencingToken());
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                System.out.println(order + ' ' + answer(lease, order));
            }
        }

        private static Object answer(Lease lease, String order) {
            return switch (order) {
                case "state" -> lease.state();
                case "ensure" ->
                    catchThrowableOfType(LockLostException.class, lease::ensureHeld)
                            .reason();
                case "release" -> lease.release();
                default -> throw new IllegalArgumentException(order);
            };
        }
    }
}
