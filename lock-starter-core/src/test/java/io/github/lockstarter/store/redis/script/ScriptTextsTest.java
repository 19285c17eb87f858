package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.lockstarter.store.redis.script.LuaRules.Violation;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.script.RedisScript;

/** The texts of scripts as they are sent, and the rules that they are compared with. */
class ScriptTextsTest {

    private static final Set<LuaScript.Variant> RETURNED = Set.of(LuaScript.Variant.RETURNS_MESSAGES);

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheStrictestPublishedRules(LuaScript script) {
        assertThat(LuaRules.violatedBy(script.getScriptAsString(), true, script.keys))
                .as("rules that %s violates", script)
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHECK_MESSAGES")
    void shouldHaveATextWithoutCommandsForMessages(LuaScript script) {
        assertThat(LuaRules.violatedBy(script.in(RETURNED).getScriptAsString(), false, script.keys))
                .as("rules that %s violates", script)
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"ACQUIRE", "RELEASE", "DOWNGRADE", "CHECK_MESSAGES"})
    void shouldNotContainCommandsForMessagesWithoutNeed(LuaScript script) {
        assertThat(script.in(RETURNED)).isSameAs(script);
    }

    /** Of a server that refuses {@code TIME} in scripts; CHECK_TIME asks whether it does. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHECK_TIME")
    void shouldHaveATextWithoutTime(LuaScript script) {
        RedisScript<Object> withoutTime = script.in(Set.of(LuaScript.Variant.WITHOUT_TIME));
        String text = withoutTime.getScriptAsString();
        assertThat(text).doesNotContain("'TIME'").doesNotContain("--").doesNotContainPattern("\\bN\\b");
        assertThat(LuaRules.violatedBy(text, true, script.keys))
                .as("rules that %s violates", script)
                .isEmpty();
        assertThat(script.getScriptAsString()).as("the text with TIME").doesNotContain("PEXPIRETIME");
        assertThat(withoutTime == script)
                .as("both texts are one")
                .isEqualTo(!script.getScriptAsString().contains("'TIME'") && !text.contains("PEXPIRETIME"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldContainNoDirective(LuaScript script) {
        assertThat(script.getScriptAsString()).doesNotContain("--").doesNotContainPattern("\\bN\\b");
    }

    @Test
    void shouldRenewAsManyLocksAsTheTextHasKeys() {
        for (int locks = 1; locks <= LuaScript.MAX_RENEWALS; locks++) {
            LuaScript script = LuaScript.renewing(locks);
            assertThat(script.keys).as("keys for %d locks", locks).isBetween(locks, 2 * locks - 1);
            assertThat(script.getScriptAsString())
                    .contains("KEYS[" + script.keys + ']')
                    .doesNotContain("KEYS[" + (script.keys + 1) + ']');
        }
    }

    static Stream<Arguments> shouldFindAViolation() {
        return Stream.of(
                arguments("return 1 -- comment", Violation.COMMENT),
                arguments("--[[ long\ncomment ]] return 1", Violation.COMMENT),
                arguments("--[==[ ]] ]==] return 1", Violation.COMMENT),
                arguments("local c = 'HGET' redis.call(c, KEYS[1], 'o')", Violation.COMMAND_NOT_LITERAL),
                arguments("redis.call('H' .. 'GET', KEYS[1], 'o')", Violation.COMMAND_NOT_LITERAL),
                arguments("redis.pcall(('HGET'), KEYS[1], 'o')", Violation.COMMAND_NOT_LITERAL),
                arguments("redis.call(ARGV[1], KEYS[1])", Violation.COMMAND_NOT_LITERAL),
                arguments("redis.call('DEL', ARGV[1])", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL', 'lock:{a}')", Violation.KEY_NOT_LITERAL),
                arguments("local i = 1 redis.call('DEL', KEYS[i])", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL', KEYS[1 + 0])", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL', KEYS[1] .. 'x')", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL', (KEYS[1]))", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL', KEYS\n[\"1\"])", Violation.KEY_NOT_LITERAL),
                arguments("redis.call('DEL')", Violation.KEY_NOT_LITERAL),
                arguments("local key = KEYS[1] return key", Violation.KEYS_ELSEWHERE),
                arguments("local keys = KEYS", Violation.KEYS_ELSEWHERE),
                arguments("return #KEYS", Violation.KEYS_ELSEWHERE),
                arguments("local channel = KEYS[1] .. ':inbox'", Violation.KEYS_ELSEWHERE),
                arguments("redis.call('PUBLISH', KEYS[1], 'x')", Violation.KEYS_ELSEWHERE),
                arguments("redis.call('HSET', KEYS[1], 'f', KEYS[1])", Violation.KEYS_ELSEWHERE),
                arguments("for i, key in ipairs(KEYS) do end", Violation.KEYS_ELSEWHERE),
                arguments("for i = 1, 2 do redis.call('DEL', KEYS[1]) end", Violation.KEYS_IN_LOOP),
                arguments("while true do if x then redis.call('DEL', KEYS[1]) end end", Violation.KEYS_IN_LOOP),
                arguments("repeat redis.call('DEL', KEYS[1]) until true", Violation.KEYS_IN_LOOP),
                arguments(
                        "for i = 1, 2 do local f = function() redis.call('DEL', KEYS[1]) end end",
                        Violation.KEYS_IN_LOOP),
                arguments("redis.call('DEL', KEYS[2])", Violation.NO_SUCH_KEY),
                arguments("redis.call('DEL', KEYS[0])", Violation.NO_SUCH_KEY),
                arguments("local call = redis.call", Violation.CALL_AS_VALUE),
                arguments("write(redis.pcall, false)", Violation.CALL_AS_VALUE),
                arguments("redis.call 'TIME'", Violation.CALL_AS_VALUE),
                arguments("return redis.call('TIME')", Violation.CALL_IN_EXPRESSION),
                arguments("local a, b = 1, redis.call('TIME')", Violation.CALL_IN_EXPRESSION),
                arguments("redis.call('HSET', KEYS[1], 'a', redis.call('TIME'))", Violation.CALL_IN_EXPRESSION),
                arguments("local n = tonumber(redis.call('PTTL', KEYS[1]))", Violation.CALL_IN_EXPRESSION),
                arguments("if redis.call('DEL', KEYS[1]) == 1 then end", Violation.CALL_IN_EXPRESSION),
                arguments("local t = redis.call('TIME')[1]", Violation.CALL_IN_EXPRESSION),
                arguments("local t = redis.call('PTTL', KEYS[1]) or 0", Violation.CALL_IN_EXPRESSION),
                arguments("local t = not redis.call('TIME')", Violation.CALL_IN_EXPRESSION),
                arguments("local t = {redis.call('TIME')}", Violation.CALL_IN_EXPRESSION),
                arguments("local t = {time = redis.call('TIME')}", Violation.CALL_IN_EXPRESSION),
                arguments("t.time = redis.call('TIME')", Violation.CALL_IN_EXPRESSION),
                arguments("t[1] = redis.call('TIME')", Violation.CALL_IN_EXPRESSION),
                arguments("redis.pcall('PUBLISH', ARGV[1], 'x')", Violation.MESSAGE),
                arguments("redis.pcall(\"pubsub\", 'NUMSUB', ARGV[1])", Violation.MESSAGE),
                arguments("redis.pcall([[SUBSCRIBE]], ARGV[1])", Violation.MESSAGE),
                arguments("f(unpack(ARGV))", Violation.UNPACK),
                arguments("f(table.unpack(ARGV))", Violation.UNPACK),
                arguments("f(table['unpack'](ARGV))", Violation.UNPACK),
                arguments("local r = redis", Violation.EVASION),
                arguments("redis['call']('TIME')", Violation.EVASION),
                arguments("local r = _G[ARGV[1]]", Violation.EVASION),
                arguments("loadstring(ARGV[1])()", Violation.EVASION));
    }

    @ParameterizedTest
    @MethodSource
    void shouldFindAViolation(String script, Violation violation) {
        assertThat(LuaRules.violatedBy(script, false, 1)).contains(violation);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis.call('DEL', KEYS[1])",
                "local a = 'redis.call(KEYS[i]) -- unpack' redis.pcall('HSET', KEYS[1], 'o', ARGV[1] .. ':' .. f(x)[1]) return a",
                "local t\nif x then t = redis.call('TIME') else t = redis.call('PTTL', KEYS[1]) end return t[1] - 1",
                "local function f(w, i) local r = redis.pcall('HSET', KEYS[1], w[i + 0], w[i + 1]) return r end for i = 1, 2 do f(w, i) end",
                "f()\nredis.call(\n'DEL'\n,\nKEYS[1]\n)\nf()",
                "if redis.REDIS_VERSION_NUM then return redis.error_reply('ERR') end"
            })
    void shouldAcceptWhatKeepsTheRules(String script) {
        assertThat(LuaRules.violatedBy(script, false, 1)).isEmpty();
    }
}
