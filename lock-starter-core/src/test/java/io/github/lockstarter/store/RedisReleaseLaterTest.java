package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Releases that nobody waits for, over a real Redis. */
@RedisTest
class RedisReleaseLaterTest {

    private static final String NAME = "a";

    private final RedisServer server;

    private final RedisCli redis;

    private final RedisStores stores;

    private final StoreInstance one;

    RedisReleaseLaterTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
        this.stores = new RedisStores(server.port(), redis);
        this.one = new StoreInstance("one", this.stores.newStore());
    }

    @AfterEach
    void close() {
        this.one.close();
        this.stores.close();
    }

    private CompletableFuture<ReleaseReply> releaseLater(String id) {
        return this.one.store().releaseLater(NAME, id, 0, null).toCompletableFuture();
    }

    @Test
    void shouldTeachTheScriptToAServerThatHasForgottenIt() throws Exception {
        this.one.granted(NAME, "me");
        this.redis.command("SCRIPT", "FLUSH");

        assertThat(releaseLater("me").get(20, TimeUnit.SECONDS)).isEqualTo(ReleaseReply.RELEASED);

        this.one.granted(NAME, "me too");
        this.redis.command("CONFIG", "RESETSTAT");
        assertThat(releaseLater("me too").get(20, TimeUnit.SECONDS)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.redis.infoCommandStats()).containsEntry("evalsha", 1L).doesNotContainKey("eval");
    }

    @Test
    void shouldReturnBeforeTheAnswer() throws Exception {
        this.one.granted(NAME, "warm");
        assertThat(releaseLater("warm").get(20, TimeUnit.SECONDS)).isEqualTo(ReleaseReply.RELEASED);
        this.one.granted(NAME, "me");

        CompletableFuture<ReleaseReply> reply;
        this.server.pause();
        try {
            reply = releaseLater("me");
            assertThat(reply).isNotDone();
        } finally {
            this.server.resume();
        }

        assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void shouldFailOverAStoreThatIsStopped() {
        this.one.granted(NAME, "me");
        this.one.close();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> releaseLater("me").get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockStoreException.class);
    }

    @Test
    void shouldNotKnowTheOutcomeIfTheConnectionBreaksBeforeTheAnswer(FaultProxy proxy) {
        try (RedisStores stores = new RedisStores(proxy.port(), this.redis);
                StoreInstance remote = new StoreInstance("remote", stores.newStore())) {
            remote.granted(NAME, "me");
            // on the way, whether the server knows the script or not
            remote.releases(NAME, "nobody");
            proxy.swallowReplyOf(Commands.with("lock:{a}"), proxy::cutRst);

            assertThatOutcomeIsUnknown(remote.store().releaseLater(NAME, "me", 0, null));

            assertThat(this.redis.exists("lock:{a}")).as("it was executed").isFalse();
        }
    }

    @Test
    void shouldNotKnowTheOutcomeIfThereIsNoAnswerInTime(FaultProxy proxy) {
        try (RedisStores stores = new RedisStores(proxy.port(), this.redis, Duration.ofMillis(500));
                StoreInstance remote = new StoreInstance("remote", stores.newStore())) {
            this.one.granted(NAME, "me");
            this.one.releases(NAME, "nobody");
            try (Hold held = proxy.holdReply(Commands.with("lock:{a}"))) {
                assertThatOutcomeIsUnknown(remote.store().releaseLater(NAME, "me", 0, null));
            }
        }
    }

    private static void assertThatOutcomeIsUnknown(CompletionStage<ReleaseReply> reply) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> reply.toCompletableFuture().get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockStoreException.class)
                .satisfies(failure -> assertThat(((LockStoreException) failure.getCause()).isOutcomeUnknown())
                        .isTrue());
    }

    @Test
    void shouldSayWhatTheServerRefused() {
        this.redis.command("SET", "lock:{a}", "theirs");

        assertThat(releaseLater("me")).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.redis.get("lock:{a}")).isEqualTo("theirs");
    }
}
