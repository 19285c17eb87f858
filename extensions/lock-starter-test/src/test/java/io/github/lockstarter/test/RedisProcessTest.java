package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RedisProcessTest {

    @TempDir
    private Path directory;

    @Test
    void shouldTakeAnotherPortIfOneIsTaken() {
        try (RedisProcess first = RedisProcess.start()) {
            List<Integer> asked = new ArrayList<>();

            try (RedisProcess second = RedisProcess.start(new RedisProgram(), () -> {
                asked.add(asked.isEmpty() ? first.port() : RedisProcess.freePort());
                return asked.get(asked.size() - 1);
            })) {
                assertThat(asked).hasSize(2).first().isEqualTo(first.port());
                assertThat(second.port()).isEqualTo(asked.get(1));
                assertThat(first.process().isAlive()).isTrue();
            }
        }
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        RedisProcess redis = RedisProcess.start();
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), redis.port())) {
            assertThat(socket.isConnected()).isTrue();
        }
        assertThat(redis.directory()).isDirectory();

        redis.close();

        assertThat(redis.process().isAlive()).isFalse();
        assertThat(redis.directory()).doesNotExist();
    }

    @Test
    void shouldShowTheOutputOfAProgramThatDoesNotStart() throws IOException {
        Path program = Files.writeString(this.directory.resolve("redis-server"), "#!/bin/sh\necho wrong $2; exit 1\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        List<Integer> ports = new ArrayList<>(List.of(1, 2, 3, 4, 5));

        assertThatIllegalStateException()
                .isThrownBy(() -> RedisProcess.start(
                        new RedisProgram(this.directory.toString(), getClass().getClassLoader()),
                        () -> ports.remove(0)))
                .withMessageContainingAll(program.toString(), "wrong 5");
    }
}
