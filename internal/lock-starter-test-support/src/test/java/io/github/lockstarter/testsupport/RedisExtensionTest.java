package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Each test leaves a mess, and finds none. */
@RedisTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RedisExtensionTest {

    @Test
    @Order(1)
    void leavesKeysSettingsAndABrokenNetwork(RedisCli cli, FaultProxy proxy) {
        cli.command("SET", "key", "value");
        cli.command("CONFIG", "SET", "maxmemory", "3mb");
        proxy.blackHole();
        proxy.refuse();
    }

    @Test
    @Order(2)
    void findsNoneOfThemAndLeavesAPausedServer(RedisServer server, FaultProxy proxy) {
        assertThatAllIsWell(proxy);
        server.pause();
    }

    @Test
    @Order(3)
    void findsItResumedAndLeavesAKilledServer(RedisServer server, FaultProxy proxy) {
        assertThatAllIsWell(proxy);
        server.kill();
    }

    @Test
    @Order(4)
    void findsItRestartedAndLeavesAServerThatIsPausedAndKilled(RedisServer server, FaultProxy proxy) {
        assertThatAllIsWell(proxy);
        server.pause();
        server.kill();
    }

    @Test
    @Order(5)
    void findsItRestarted(FaultProxy proxy) {
        assertThatAllIsWell(proxy);
    }

    private static void assertThatAllIsWell(FaultProxy proxy) {
        try (RedisCli cli = RedisCli.connect(proxy.port())) {
            assertThat(cli.command("DBSIZE")).isEqualTo(0L);
            assertThat(cli.info("memory")).contains("maxmemory:0\r\n");
        }
    }
}
