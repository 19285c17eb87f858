package io.github.lockstarter.ui;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;

/** What several tests of the page need. */
final class PageTests {

    private PageTests() {}

    /** Creates locks {@code many:1} and so on, of an instance without a description. */
    static void createLocks(RedisCli redis, int count) {
        redis.command("EVAL", """
                for i = 1, ARGV[1] do
                  local key = 'lock:{many:' .. i .. '}'
                  redis.call('HSET', key, 'o', 'ManyLocks01-0000000000', 'f', 1795758698000000 + i)
                  redis.call('PEXPIRE', key, 600000)
                end
                """, "0", Integer.toString(count));
    }

    /** Names that a page, an address, a pattern or a terminal could misread. */
    static List<String> hostileNames() {
        return List.of(
                "<script>alert(1)</script><img src=x onerror=alert(1)>",
                "\"'`&amp;${7*7}{{x}}",
                "txt.\u202Egnp\u202C \u200B\u2066",
                "line\r\nbreak\ttab\u0000\u001B[31m",
                "../..//;a=b?c#d",
                "%2F%00%u202E",
                "*?[a-z]\\^]{}",
                " padded ",
                "a\u3164\u034F\uFE0F\u00A0\u2003 \u2800",
                "\u043Erder:\u0441",
                "锁🔒é",
                "long:" + "x".repeat(507));
    }

    /** Returns what a path with a condition finds. */
    static <T> List<T> list(Instance.Answer answer, String path) {
        return answer.at(path);
    }
}
