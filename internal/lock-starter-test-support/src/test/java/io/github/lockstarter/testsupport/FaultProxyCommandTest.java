package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Faults of single commands and replies. */
@RedisTest
class FaultProxyCommandTest {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final FaultProxy proxy;
    private final RedisCli direct;

    FaultProxyCommandTest(FaultProxy proxy, RedisCli direct) {
        this.proxy = proxy;
        this.direct = direct;
    }

    @Test
    void theReplyToOneCommandIsLostAndTheConnectionCut() {
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            proxy.swallowReplyOf(Commands.named("incr"), proxy::cutRst);
            assertThat(client.command("SET", "other", "x")).isEqualTo("OK");
            assertThatThrownBy(() -> client.command("INCR", "counter")).hasCauseInstanceOf(SocketException.class);
        }
        assertThat(direct.get("counter")).isEqualTo("1");
        try (RedisCli again = RedisCli.connect(proxy.port())) {
            assertThat(again.command("INCR", "counter")).as("only the first").isEqualTo(2L);
        }
        assertThat(proxy.commandsSeen(Commands.named("incr").and(Commands.with("counter"))))
                .isEqualTo(2);
    }

    @Test
    void afterALostReplyTheConnectionStaysOpenAndSilent() {
        proxy.swallowReplyOf(Commands.named("incr"), () -> {});
        try (RedisCli client = RedisCli.connect(proxy.port(), Duration.ofMillis(200))) {
            assertThatThrownBy(() -> client.command("INCR", "counter"))
                    .hasCauseInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> client.command("GET", "counter"))
                    .as("must not take the next reply for its own")
                    .hasCauseInstanceOf(SocketTimeoutException.class);
        }
        assertThat(direct.get("counter")).isEqualTo("1");
    }

    @Test
    void oneCommandIsLost() throws InterruptedException {
        CountDownLatch then = new CountDownLatch(1);
        proxy.swallowRequestOf(Commands.named("incr"), then::countDown);
        try (RedisCli client = RedisCli.connect(proxy.port(), Duration.ofMillis(200))) {
            assertThatThrownBy(() -> client.command("INCR", "counter"))
                    .hasCauseInstanceOf(SocketTimeoutException.class);
            assertThat(then.await(5, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(direct.exists("counter")).isFalse();
    }

    @Test
    void halfOfACommandArrives() {
        proxy.tearRequestOf(Commands.named("incr"), () -> {});
        try (RedisCli client = RedisCli.connect(proxy.port(), Duration.ofMillis(200))) {
            assertThatThrownBy(() -> client.command("INCR", "counter"))
                    .hasCauseInstanceOf(SocketTimeoutException.class);
            assertThat(String.valueOf(direct.command("CLIENT", "LIST")))
                    .as("the server waits for the rest")
                    .containsPattern(" qbuf=[1-9]\\d* .* cmd=NULL ");
        }
        assertThat(direct.exists("counter")).isFalse();
    }

    @Test
    void halfOfAReplyArrives() {
        direct.command("SET", "text", "x".repeat(100));
        proxy.tearReplyOf(Commands.named("get"), () -> {});
        try (RedisCli client = RedisCli.connect(proxy.port(), Duration.ofMillis(200))) {
            assertThatThrownBy(() -> client.get("text")).hasCauseInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> client.command("PING"))
                    .as("nothing follows")
                    .hasCauseInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void messagesAreLostButRepliesAreNot() {
        proxy.swallowMessages();
        try (RedisCli subscriber = RedisCli.connect(proxy.port(), Duration.ofMillis(200));
                RedisCli client = RedisCli.connect(proxy.port())) {
            subscriber.send("SUBSCRIBE", "news");
            await().until(() -> direct.command("PUBLISH", "news", "x").equals(1L));
            assertThatThrownBy(subscriber::read).hasCauseInstanceOf(SocketTimeoutException.class);
            assertThat(client.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aCommandIsHeldBeforeItIsExecuted() throws InterruptedException {
        try (Hold hold = proxy.hold(Commands.with("counter"));
                RedisCli client = RedisCli.connect(proxy.port());
                RedisCli other = RedisCli.connect(proxy.port())) {
            client.send("INCRBY", "counter", "10");
            hold.awaitReached(LIMIT);
            assertThat(other.command("INCR", "counter")).as("overtakes").isEqualTo(1L);
            hold.release();
            assertThat(client.read()).isEqualTo(11L);
        }
    }

    @Test
    void aReplyIsHeldAfterTheCommandWasExecuted() throws InterruptedException {
        try (Hold hold = proxy.holdReply(Commands.named("incr"));
                RedisCli client = RedisCli.connect(proxy.port())) {
            assertThat(client.command("SET", "counter", "5")).isEqualTo("OK");
            assertThat(hold.isReached()).isFalse();
            client.send("INCR", "counter");
            hold.awaitReached(LIMIT);
            assertThat(direct.get("counter")).isEqualTo("6");
            hold.release();
            assertThat(client.read()).isEqualTo(6L);
        }
    }

    @Test
    void twoHoldsTakeOneCommandEach() throws InterruptedException {
        try (Hold first = proxy.hold(Commands.named("incrby"));
                Hold second = proxy.hold(Commands.named("incrby"));
                RedisCli early = RedisCli.connect(proxy.port());
                RedisCli late = RedisCli.connect(proxy.port())) {
            early.send("INCRBY", "counter", "1");
            first.awaitReached(LIMIT);
            late.send("INCRBY", "counter", "10");
            second.awaitReached(LIMIT);
            second.release();
            assertThat(late.read()).isEqualTo(10L);
            first.release();
            assertThat(early.read()).isEqualTo(11L);
        }
    }

    @Test
    void whatIsHeldWhenTheConnectionIsCutIsNeverExecuted() throws InterruptedException {
        try (Hold hold = proxy.hold(Commands.named("incr"));
                RedisCli client = RedisCli.connect(proxy.port())) {
            client.send("INCR", "counter");
            hold.awaitReached(LIMIT);
            proxy.cutRst();
            hold.release();
            assertThatThrownBy(client::read).hasCauseInstanceOf(SocketException.class);
        }
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            client.command("PING");
        }
        assertThat(direct.exists("counter")).isFalse();
    }

    @Test
    void whatIsHeldIsExecutedAfterItsClientHasGone() throws InterruptedException {
        try (Hold hold = proxy.hold(Commands.named("incr"));
                Hold reply = proxy.holdReply(Commands.named("incr"))) {
            try (RedisCli client = RedisCli.connect(proxy.port())) {
                client.send("INCR", "counter");
                hold.awaitReached(LIMIT);
            }
            proxy.heal();
            assertThat(reply.isReached()).isFalse();
        }
        await().until(() -> direct.exists("counter"));
    }

    @Test
    void messagesAreNotTakenForReplies() throws InterruptedException {
        for (String protocol : List.of("2", "3")) {
            try (Hold hold = proxy.holdReply(Commands.named("ping"));
                    RedisCli client = RedisCli.connect(proxy.port())) {
                client.command("HELLO", protocol);
                client.command("SUBSCRIBE", "one");
                direct.command("PUBLISH", "one", "first");
                assertThat(client.read()).isEqualTo(List.of("message", "one", "first"));
                client.send("PING");
                hold.awaitReached(LIMIT);
                hold.release();
                assertThat(client.read()).isEqualTo(protocol.equals("2") ? List.of("pong", "") : "PONG");
            }
        }
    }
}
