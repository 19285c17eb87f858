package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Writing locks again for their replicas, many in one call. */
@RedisTest
class ConfirmScriptTest {

    private final RedisCli redis;

    ConfirmScriptTest(RedisCli redis) {
        this.redis = redis;
    }

    private List<Object> confirm(long lease, List<String> keys, String... ids) {
        List<String> command =
                new ArrayList<>(List.of("EVAL", LuaScript.CONFIRM.getScriptAsString(), Integer.toString(keys.size())));
        command.addAll(keys);
        command.add(Long.toString(lease));
        command.add(String.join(";", ids));
        return new ArrayList<>((List<?>) Objects.requireNonNull(this.redis.command(command.toArray(String[]::new))));
    }

    private void lock(String key, String owner, long lease) {
        this.redis.command("HSET", key, "o", owner, "f", "42");
        this.redis.command("PEXPIRE", key, Long.toString(lease));
    }

    /** Commands that have changed data, all of which go to the replicas. */
    private long changes() {
        return Long.parseLong(this.redis
                .info("persistence")
                .lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .map(line -> line.split(":", 2)[1].strip())
                .findFirst()
                .orElseThrow());
    }

    /** A write that is skipped is not replicated, and WAIT would be satisfied by an older one. */
    @Test
    void shouldWriteALongerLeaseWithoutShorteningIt() {
        lock("a", "me", 60_000);
        long before = changes();

        assertThat(confirm(1_000, List.of("a"), "me")).isEmpty();

        assertThat(this.redis.pttl("a")).isGreaterThan(50_000L);
        assertThat(changes()).isEqualTo(before + 1);
    }

    @Test
    void shouldReportEachKeyThatItsOwnerDoesNotHave() {
        lock("mine", "me", 2_000);
        lock("yours", "you", 2_000);
        this.redis.command("SET", "text", "x");

        List<Object> failures = confirm(10_000, List.of("free", "mine", "yours", "text"), "me", "me", "me", "me");

        assertThat(failures).isEqualTo(List.of(1L, 0L, 3L, -1L, 4L, -1L));
        assertThat(this.redis.pttl("mine")).isGreaterThan(9_000L);
        assertThat(this.redis.pttl("yours")).isLessThanOrEqualTo(2_000L);
        assertThat(this.redis.exists("free")).isFalse();
    }
}
