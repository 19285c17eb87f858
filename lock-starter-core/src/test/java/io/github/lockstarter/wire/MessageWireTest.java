package io.github.lockstarter.wire;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages about grants between instances of the previous version and of the present code. */
@RedisTest
class MessageWireTest {

    private static final String NAME = "orders:42";

    private static final String KEY = "lock:{orders:42}";

    private static final String END = "the end";

    /** No renewal by the clock in the time of a test, and no poll. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final long NOTIFIED_SECONDS = 5;

    private final Instances instances = new Instances();

    private final RedisServer server;

    private final RedisCli redis;

    private final RedisCli inboxes;

    private final Instance present;

    private final PreviousInstance previous;

    MessageWireTest(RedisServer server, RedisCli redis, RedisCli inboxes) {
        this.server = server;
        this.redis = redis;
        this.inboxes = inboxes;
        this.present = this.instances.at(
                server,
                setup -> setup.lease(LONG)
                        .commandTimeout(Duration.ofSeconds(4))
                        .pollInterval(Duration.ofSeconds(30))
                        .withoutHandOff());
        this.previous = new PreviousInstance(server, "previous");
        inboxes.command("PSUBSCRIBE", "lock:inbox:*");
    }

    @AfterEach
    void stop() {
        this.previous.close();
        this.instances.close();
    }

    /** All messages about this lock since the last call, in the order in which they were published. */
    private List<String> published() {
        this.redis.command("PUBLISH", "lock:inbox:reader", END);
        List<String> texts = new ArrayList<>();
        while (true) {
            String text = String.valueOf(((List<?>) this.inboxes.read()).get(3));
            if (text.equals(END)) {
                return texts;
            }
            if (text.startsWith(KEY)) {
                texts.add(text);
            }
        }
    }

    private CompletableFuture<Lease> waitAt(int length) {
        CompletableFuture<Lease> waiting = this.present.waitFor(NAME);
        awaitLine(length);
        return waiting;
    }

    private void awaitLine(int length) {
        soon().until(() -> this.previous.lineLength(NAME) == length);
    }

    private static Lease get(CompletableFuture<Lease> waiting) throws Exception {
        return waiting.get(NOTIFIED_SECONDS, TimeUnit.SECONDS);
    }

    /** The key alone makes the waiter ask, which sets the full lease: no renewal follows. */
    @Test
    void shouldTakeTheMessageOfThePreviousVersionForAHint() throws Exception {
        this.previous.acquire(NAME, "old");
        CompletableFuture<Lease> waiting = waitAt(1);

        assertThat(this.previous.release(NAME, "old")).isEqualTo(1);

        Lease lease = get(waiting);
        assertThat(published()).containsExactly(KEY);
        assertThat(lease.release()).isTrue();
        assertThat(this.present.events().count(LockRenewedEvent.class)).isZero();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldPublishTheKeyAloneToThePreviousVersion() throws Exception {
        Lease lease = this.present.acquire(NAME);
        this.previous.join(NAME, "old");

        assertThat(lease.release()).isTrue();

        assertThat(published()).containsExactly(KEY);
        assertThat(this.previous.nextMessage()).isEqualTo(NAME);
    }

    @Test
    void shouldPublishTheGrantToInstancesThatReadIt() throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.lease(LONG));
        Lease lease = other.acquire(NAME);
        CompletableFuture<Lease> waiting = waitAt(1);
        String id = String.valueOf(this.redis.command("HGET", KEY, "q"))
                .substring(1)
                .split(":", -1)[0];

        assertThat(lease.release()).isTrue();

        Lease granted = get(waiting);
        assertThat(published()).containsExactly(KEY + id + ':' + granted.fencingToken());
        assertThat(granted.release()).isTrue();
    }

    /** Old and new in turn: each release publishes what its receiver can read, and tokens grow. */
    @Test
    void shouldServeAMixedLine() throws Exception {
        List<Long> tokens = new ArrayList<>();
        tokens.add(this.previous.acquire(NAME, "old 1"));
        CompletableFuture<Lease> first = waitAt(1);
        this.previous.join(NAME, "old 2");
        awaitLine(2);
        published();

        assertThat(this.previous.release(NAME, "old 1")).isEqualTo(1);
        Lease lease = get(first);
        tokens.add(lease.fencingToken());
        assertThat(published()).containsExactly(KEY);
        CompletableFuture<Lease> second = this.present.waitFor(NAME);
        soon().until(() -> this.present.waiting() == 1);
        assertThat(lease.release()).isTrue();
        assertThat(published()).containsExactly(KEY);
        tokens.add(this.previous.acquire(NAME, "old 2"));
        awaitLine(1);
        this.previous.join(NAME, "old 3");

        assertThat(this.previous.releaseTo(NAME, "old 2", "old 4")).isEqualTo(2);
        assertThat(published()).containsExactly(KEY);
        lease = get(second);
        tokens.add(lease.fencingToken());
        assertThat(lease.release()).isTrue();
        tokens.add(this.previous.acquire(NAME, "old 3"));
        assertThat(this.previous.release(NAME, "old 3")).isEqualTo(1);
        tokens.add(this.previous.acquire(NAME, "old 4"));
        assertThat(this.previous.release(NAME, "old 4")).isEqualTo(1);

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(this.previous.isLocked(NAME)).isFalse();
    }
}
