package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults of whole connections. */
@RedisTest
class FaultProxyTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private final RedisServer server;
    private final FaultProxy proxy;
    private final RedisCli direct;

    FaultProxyTest(RedisServer server, FaultProxy proxy, RedisCli direct) {
        this.server = server;
        this.proxy = proxy;
        this.direct = direct;
    }

    @Test
    void passesCommandsRepliesAndMessages() {
        try (RedisCli client = RedisCli.connect(proxy.port());
                RedisCli subscriber = RedisCli.connect(proxy.port())) {
            assertThat(client.command("SET", "key", "value")).isEqualTo("OK");
            assertThat(direct.get("key")).isEqualTo("value");
            client.send("GET", "key");
            client.send("GET", "other");
            assertThat(client.read()).isEqualTo("value");
            assertThat(client.read()).isNull();

            subscriber.command("SUBSCRIBE", "news");
            client.command("PUBLISH", "news", "hello");
            assertThat(subscriber.read()).isEqualTo(List.of("message", "news", "hello"));
            await().until(proxy::connections, count -> count == 2);
            assertThat(proxy.commandsSeen(Commands.named("get"))).isEqualTo(2);
            assertThat(proxy.commandsSeen(Commands.with("key"))).isEqualTo(2);
        }
        await().until(proxy::connections, count -> count == 0);
    }

    @Test
    void cutsWithFin() throws Exception {
        try (Socket client = connected()) {
            proxy.cutFin();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(proxy.connections()).isZero();
        }
        assertThatANewConnectionWorks();
    }

    @Test
    void cutsWithRst() throws Exception {
        try (Socket client = connected()) {
            proxy.cutRst();
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            assertThat(proxy.connections()).isZero();
        }
        assertThatANewConnectionWorks();
    }

    @Test
    void refusesAndAcceptsAgainOnTheSamePort() {
        try (RedisCli open = RedisCli.connect(proxy.port())) {
            open.command("PING");
            proxy.refuse();
            assertThatThrownBy(() -> RedisCli.connect(proxy.port())).hasCauseInstanceOf(ConnectException.class);
            assertThat(open.command("PING")).isEqualTo("PONG");
            proxy.accept();
            assertThatANewConnectionWorks();
        }
    }

    @Test
    void delaysBothWaysWithoutDelayingOneCommandBehindTheOther() {
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            client.command("PING");
            proxy.delay(Duration.ofMillis(60), Duration.ofMillis(40));
            long start = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                client.send("PING");
            }
            for (int i = 0; i < 100; i++) {
                client.read();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(100), Duration.ofSeconds(9));
        }
    }

    @Test
    void aBlackHoleIsSilentForOldAndNewConnectionsAndLosesWhatIsSent() throws Exception {
        try (RedisCli old = RedisCli.connect(proxy.port(), SHORT)) {
            old.command("PING");
            proxy.blackHole();
            assertThatThrownBy(() -> old.command("INCR", "counter")).hasCauseInstanceOf(SocketTimeoutException.class);
            try (RedisCli fresh = RedisCli.connect(proxy.port(), SHORT)) {
                assertThatThrownBy(() -> fresh.command("INCR", "counter"))
                        .hasCauseInstanceOf(SocketTimeoutException.class);
            }
            assertThat(proxy.commandsSeen(Commands.named("incr"))).isEqualTo(2);

            proxy.heal();
            assertThatThrownBy(() -> old.command("PING"))
                    .as("has lost something")
                    .hasCauseInstanceOf(SocketException.class);
        }
        assertThatANewConnectionWorks();
        assertThat(direct.exists("counter")).isFalse();
    }

    @Test
    void aBlackHoleHidesThatTheServerIsGone() {
        proxy.blackHole();
        server.kill();
        try (RedisCli client = RedisCli.connect(proxy.port(), SHORT)) {
            assertThatThrownBy(() -> client.command("PING")).hasCauseInstanceOf(SocketTimeoutException.class);
        }
        proxy.heal();
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            assertThatThrownBy(() -> client.command("PING")).hasCauseInstanceOf(SocketException.class);
        }
    }

    @Test
    void swallowedRepliesAreOfCommandsThatWereExecuted() {
        proxy.swallowReplies();
        try (RedisCli client = RedisCli.connect(proxy.port(), SHORT)) {
            assertThatThrownBy(() -> client.command("INCR", "counter"))
                    .hasCauseInstanceOf(SocketTimeoutException.class);
        }
        assertThat(direct.get("counter")).isEqualTo("1");
    }

    @Test
    void swallowedRequestsAreNotExecuted() {
        proxy.swallowRequests();
        try (RedisCli client = RedisCli.connect(proxy.port(), SHORT)) {
            assertThatThrownBy(() -> client.command("INCR", "counter"))
                    .hasCauseInstanceOf(SocketTimeoutException.class);
            proxy.heal();
        }
        assertThatANewConnectionWorks();
        assertThat(direct.exists("counter")).isFalse();
    }

    @Test
    void whatIsStalledArrivesLaterEvenFromAClientThatHasGone() {
        try (RedisCli gone = RedisCli.connect(proxy.port(), SHORT);
                RedisCli patient = RedisCli.connect(proxy.port())) {
            proxy.stall();
            patient.send("INCR", "patient");
            assertThatThrownBy(() -> gone.command("INCR", "gone")).hasCauseInstanceOf(SocketTimeoutException.class);
            gone.close();
            assertThat(direct.exists("gone")).isFalse();

            proxy.heal();
            assertThat(patient.read()).isEqualTo(1L);
            await().until(() -> direct.exists("gone"));
        }
    }

    @Test
    void stalledRepliesAreOfCommandsThatWereExecuted() {
        proxy.stallReplies();
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            client.send("INCR", "counter");
            await().until(() -> direct.exists("counter"));
            proxy.heal();
            assertThat(client.read()).isEqualTo(1L);
        }
    }

    @Test
    void theEndOfTheServerIsSeenByTheClient() throws Exception {
        try (Socket client = connected()) {
            server.kill();
            assertThat(endOf(client.getInputStream())).isTrue();
        }
    }

    private static boolean endOf(InputStream in) {
        try {
            return in.read() == -1;
        } catch (Exception e) {
            return e instanceof SocketException && !(e.getCause() instanceof SocketTimeoutException);
        }
    }

    /** A connection through which a command has gone. */
    private Socket connected() throws Exception {
        Socket client = new Socket(proxy.host(), proxy.port());
        client.setSoTimeout(5_000);
        client.getOutputStream().write(RespFrame.command("PING"));
        assertThat(client.getInputStream().readNBytes("+PONG\r\n".length())).hasSize(7);
        return client;
    }

    private void assertThatANewConnectionWorks() {
        try (RedisCli client = RedisCli.connect(proxy.port())) {
            assertThat(client.command("PING")).isEqualTo("PONG");
        }
    }
}
