package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.history.LateMessages.Belief;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.StoredLine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A message that arrives when its grant has expired: harmless, unless belief counts from its receipt, which is found. */
@RedisTest
class LateMessageControlTest {

    private static final Pace PACE = Pace.ofMillis(3000, 500, 400);

    private static final Duration LONG = Duration.ofSeconds(20);

    private static final int ATTEMPTS = 5;

    private static final String KEY = "lock:{job}";

    private final RedisServer server;

    private final RedisCli redis;

    private final FaultProxy network;

    LateMessageControlTest(RedisServer server, RedisCli redis, FaultProxy network) {
        this.server = server;
        this.redis = redis;
        this.network = network;
    }

    @Test
    void shouldFindABeliefThatCountsFromTheReceipt() throws Exception {
        // the belief is short, and on a busy machine it can be over before its owner looks at it
        List<String> violations = List.of();
        for (int attempt = 0; attempt < ATTEMPTS && violations.isEmpty(); attempt++) {
            violations = violations(Belief.FROM_RECEIPT);
        }
        assertThat(violations).anyMatch(violation -> violation.startsWith("belief: Two owners of 'job'"));
    }

    @Test
    void shouldFindNothingIfItCountsFromTheProof() throws Exception {
        assertThat(violations(Belief.FROM_PROOF)).isEmpty();
    }

    private List<String> violations(Belief belief) throws Exception {
        try (Scene scene = new Scene(PACE.limits(Duration.ofSeconds(2)))) {
            return violations(scene, belief);
        }
    }

    private List<String> violations(Scene scene, Belief belief) throws Exception {
        LateMessages messages = new LateMessages(belief);
        Contender one = scene.client("one", this.server.port(), PACE);
        Contender two = scene.client("two", this.network.port(), PACE, messages::of);
        Contender three = scene.client("three", this.server.port(), PACE);
        Visit first = one.tryAcquire(Scene.job(LONG)).orElseThrow();
        CompletableFuture<Optional<Visit>> second =
                CompletableFuture.supplyAsync(() -> two.tryAcquire(Scene.job(LONG)));
        Pause.until(
                LONG,
                () -> StoredLine.of(this.redis, KEY).stream()
                        .anyMatch(entry -> !entry.inbox().isEmpty()));

        Predicate<List<String>> acquire = command -> command.contains(CommandLog.digestOf("acquire"));
        Visit third;
        try (Hold poll = this.network.hold(acquire)) {
            poll.awaitReached(LONG);
            first.release();
            Pause.until(LONG, () -> messages.size() == 1);
            third = three.tryAcquire(Scene.job(LONG)).orElseThrow();
        }
        // It is back in the line, behind the owner that the message does not know.
        Pause.until(LONG, () -> this.redis.hgetall(KEY).containsKey("q"));
        messages.deliver();
        if (belief == Belief.FROM_RECEIPT) {
            Pause.until(LONG, second::isDone);
        }
        assertThat(third.stay(Duration.ofMillis(500))).isTrue();
        third.release();
        Visit last = second.get(LONG.toSeconds(), TimeUnit.SECONDS).orElseThrow();
        last.look();
        last.release();
        return scene.violations();
    }
}
