package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The script that the manual offers for data in Redis that a lock protects. */
@RedisTest
class FencingRecipeTest {

    private static final Pattern LUA = Pattern.compile("```lua\n(.+?)```", Pattern.DOTALL);

    private final RedisCli redis;

    FencingRecipeTest(RedisCli redis) {
        this.redis = redis;
    }

    @Test
    void shouldRefuseAnOwnerThatHasBeenReplaced() throws Exception {
        LockScripts locks = new LockScripts(this.redis);
        long late = locks.acquire("late", 10_000);
        this.redis.command("DEL", LockScripts.KEY);
        long current = locks.acquire("current", 10_000);

        assertThat(write(late, "first")).isEqualTo(1L);
        assertThat(write(current, "second")).isEqualTo(1L);
        assertThat(write(late, "too late")).isEqualTo(0L);
        assertThat(write(current, "third")).as("the owner may write again").isEqualTo(1L);

        assertThat(this.redis.hgetall("data")).containsEntry("value", "third");
    }

    private Object write(long token, String value) throws Exception {
        Matcher script = LUA.matcher(Files.readString(Path.of("../docs/reference/fencing.md")));
        assertThat(script.find()).isTrue();
        return this.redis.command("EVAL", script.group(1), "1", "data", Long.toString(token), value);
    }
}
