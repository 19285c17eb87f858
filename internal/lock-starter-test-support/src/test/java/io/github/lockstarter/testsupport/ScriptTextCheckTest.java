package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which texts of scripts the proxy of Tair refuses. */
class ScriptTextCheckTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "return 1",
                "return redis.call('hset', KEYS[1], ARGV[1], ARGV[2])",
                "redis.pcall(\"PEXPIRE\", KEYS[2], math.max(1, tonumber(ARGV[1])))",
                "KEYS[2] = ARGV[1] return redis.call('GET', KEYS[2])",
                "local t = redis.call('TIME') return t[1]",
                "return redis.call('DEL', KEYS[1], KEYS[2])",
                "return redis.call('SET', KEYS[1], ')(')"
            })
    void accepts(String text) {
        assertThat(ScriptTextCheck.errorOf(text)).as(text).isNull();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("local key = KEYS[1]", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("return redis.call('GET', key)", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("return redis.call('GET', KEYS[i])", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("return redis.call('DEL', KEYS[1], key)", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("redis.call('SET', KEYS[1], KEYS[1] .. 'x')", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("for i, k in ipairs(KEYS) do end", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("-- the lock is KEYS[1]", ScriptTextCheck.KEYS_ARRAY),
                Arguments.of("return redis.call(ARGV[1], KEYS[1])", ScriptTextCheck.LITERAL),
                Arguments.of("return redis.call('GE' .. 'T', KEYS[1])", ScriptTextCheck.LITERAL),
                Arguments.of("local call = redis.pcall", ScriptTextCheck.LITERAL),
                Arguments.of("redis.call('SET', KEYS[1], redis.call('GET', KEYS[2]))", ScriptTextCheck.NESTED),
                Arguments.of("redis.call('publish', 'c', 'm')", ScriptTextCheck.MESSAGES),
                Arguments.of("redis.call('PUBSUB', 'NUMSUB', 'c')", ScriptTextCheck.MESSAGES),
                Arguments.of("redis.call('HMGET', KEYS[1], unpack(ARGV))", ScriptTextCheck.UNPACK));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refuses(String text, String error) {
        assertThat(ScriptTextCheck.errorOf(text)).as(text).isEqualTo(error);
    }
}
