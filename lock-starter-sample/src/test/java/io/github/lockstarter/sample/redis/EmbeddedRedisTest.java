package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedRedisTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Starts a Redis, says where, and waits. */
    static final class Owner {

        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            EmbeddedRedis redis = EmbeddedRedis.start();
            System.out.println("port " + redis.port());
            System.in.read();
        }
    }

    @Test
    void keepsNothingAndIsGoneWhenItIsClosed() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        try (RedisCli cli = RedisCli.connect(redis.port())) {
            assertThat(cli.command("CONFIG", "GET", "save")).asString().isEqualTo("[save, ]");
            assertThat(cli.command("CONFIG", "GET", "appendonly")).asString().isEqualTo("[appendonly, no]");
        }

        redis.close();

        assertThat(isGone(redis.port())).isTrue();
    }

    @Test
    void listensOnTheLoopbackInterfaceOnly() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            assertThat(NetworkInterface.networkInterfaces()
                            .flatMap(NetworkInterface::inetAddresses)
                            .filter(address -> accepts(address, redis.port())))
                    .containsExactly(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isGoneWhenItsOwnerIs(boolean gently) throws InterruptedException {
        try (WorkerJvm owner = WorkerJvm.start(Owner.class)) {
            String line = owner.awaitLine(text -> text.startsWith("port "), LIMIT);
            int port = Integer.parseInt(line.substring("port ".length()));
            assertThat(RedisProbe.isAlive("127.0.0.1:" + port)).isTrue();

            if (gently) {
                owner.stop();
            } else {
                owner.kill();
            }

            await().atMost(LIMIT).until(() -> isGone(port));
        }
    }

    private static boolean isGone(int port) {
        return !RedisProbe.isAlive("127.0.0.1:" + port);
    }

    private static boolean accepts(InetAddress address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
