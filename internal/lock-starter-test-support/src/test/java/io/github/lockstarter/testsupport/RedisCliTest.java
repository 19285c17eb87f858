package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@RedisTest
class RedisCliTest {

    private final RedisCli cli;

    RedisCliTest(RedisCli cli) {
        this.cli = cli;
    }

    @Test
    void readsEveryKindOfReply() {
        assertThat(cli.command("SET", "key", "grün {1}")).isEqualTo("OK");
        assertThat(cli.command("GET", "key")).isEqualTo("grün {1}");
        assertThat(cli.command("GET", "other")).isNull();
        assertThat(cli.command("STRLEN", "key")).isEqualTo(9L);
        assertThat(cli.command("MGET", "key", "other")).isEqualTo(Arrays.asList("grün {1}", null));
        assertThat(cli.command("EVAL", "return {1, {'a', false}, ''}", "0"))
                .isEqualTo(List.of(1L, Arrays.asList("a", null), ""));
        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> cli.command("INCR", "key"))
                .withMessageStartingWith("ERR value is not an integer");
        assertThat(cli.command("PING")).isEqualTo("PONG");
    }

    @Test
    void readsTheKindsOfRepliesThatOnlyResp3Has() {
        cli.command("HELLO", "3");
        cli.command("HSET", "hash", "a", "1");
        assertThat(cli.command("HGETALL", "hash")).isEqualTo(Map.of("a", "1"));
        assertThat(cli.command("GET", "nothing")).isNull();
        assertThat(cli.command("EVAL", "redis.setresp(3) return {double = 1.5}", "0"))
                .isEqualTo(1.5);
        assertThat(cli.command("EVAL", "redis.setresp(3) return true", "0")).isEqualTo(true);
        assertThat((String) cli.command("INFO", "server")).startsWith("# Server");
        cli.command("SUBSCRIBE", "news");
        cli.send("PUBLISH", "news", "hello");
        assertThat(cli.read()).isEqualTo(List.of("message", "news", "hello"));
        assertThat(cli.read()).isEqualTo(1L);
        cli.command("UNSUBSCRIBE", "news");
        cli.command("HELLO", "2");
    }

    @Test
    void looksAtKeys() {
        cli.command("HSET", "hash", "a", "1", "b", "");
        assertThat(cli.hgetall("hash")).containsExactly(Map.entry("a", "1"), Map.entry("b", ""));
        assertThat(cli.hgetall("nothing")).isEmpty();
        assertThat(cli.exists("hash")).isTrue();
        assertThat(cli.ttl("hash")).isEqualTo(-1);
        assertThat(cli.pttl("nothing")).isEqualTo(-2);
        cli.command("PEXPIRE", "hash", "50000");
        assertThat(cli.pttl("hash")).isBetween(40_000L, 50_000L);
        cli.command("SET", "text", "x");
        assertThat(cli.get("text")).isEqualTo("x");
        cli.flushall();
        assertThat(cli.exists("hash")).isFalse();
    }

    @Test
    void countsCommandsOfScriptsToo() {
        cli.command("EVAL", "redis.call('SET', KEYS[1], 1) return redis.call('INCR', KEYS[1])", "1", "key");
        assertThat(cli.infoCommandStats())
                .containsEntry("eval", 1L)
                .containsEntry("set", 1L)
                .containsEntry("incr", 1L)
                .doesNotContainKey("get");
    }
}
