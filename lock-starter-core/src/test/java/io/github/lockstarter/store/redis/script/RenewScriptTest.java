package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Renewing leases, many in one call. */
@RedisTest
class RenewScriptTest {

    private final RedisCli redis;

    RenewScriptTest(RedisCli redis) {
        this.redis = redis;
    }

    /** Ten seconds for each key, of which the id at the same place must be the owner. */
    private List<Object> renew(List<String> keys, String... ids) {
        return renew(10_000, keys, ids);
    }

    private List<Object> renew(long lease, List<String> keys, String... ids) {
        List<String> command =
                new ArrayList<>(List.of("EVAL", LuaScript.RENEW.getScriptAsString(), Integer.toString(keys.size())));
        command.addAll(keys);
        command.add(Long.toString(lease));
        command.add(String.join(";", ids));
        return new ArrayList<>((List<?>) Objects.requireNonNull(this.redis.command(command.toArray(String[]::new))));
    }

    private void lock(String key, String owner, long lease) {
        this.redis.command("HSET", key, "o", owner, "f", "42");
        this.redis.command("PEXPIRE", key, Long.toString(lease));
    }

    @Test
    void shouldSetTheLeaseOfTheOwner() {
        lock("a", "me", 2_000);

        assertThat(renew(List.of("a"), "me")).isEmpty();

        assertThat(this.redis.pttl("a")).isBetween(9_000L, 10_000L);
        assertThat(this.redis.hgetall("a")).isEqualTo(Map.of("o", "me", "f", "42"));
    }

    @Test
    void shouldBeRepeatable() {
        lock("a", "me", 2_000);

        assertThat(renew(List.of("a"), "me")).isEmpty();
        assertThat(renew(List.of("a"), "me")).isEmpty();

        assertThat(this.redis.pttl("a")).isBetween(9_000L, 10_000L);
    }

    @Test
    void shouldNeverShorten() {
        lock("a", "me", 60_000);

        assertThat(renew(1_000, List.of("a"), "me")).isEmpty();

        assertThat(this.redis.pttl("a")).isGreaterThan(50_000L);
    }

    @Test
    void shouldNotGiveAnEndToWhatHasNone() {
        this.redis.command("HSET", "a", "o", "me", "f", "42");

        assertThat(renew(1_000, List.of("a"), "me")).isEmpty();

        assertThat(this.redis.pttl("a")).as("never shortens").isEqualTo(-1);
    }

    @Test
    void shouldNotCreateWhatIsGone() {
        assertThat(renew(List.of("a"), "me")).isEqualTo(List.of(1L, 0L));

        assertThat(this.redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void shouldNotProlongTheLeaseOfAnother() {
        lock("a", "you", 2_000);

        assertThat(renew(List.of("a"), "me")).isEqualTo(List.of(1L, -1L));

        assertThat(this.redis.pttl("a")).isBetween(1L, 2_000L);
        assertThat(this.redis.hgetall("a")).containsEntry("o", "you");
    }

    @Test
    void shouldSayThatAHashWithoutAnOwnerIsNobodys() {
        this.redis.command("HSET", "a", "data", "theirs");

        assertThat(renew(List.of("a"), "me")).isEqualTo(List.of(1L, 0L));

        assertThat(this.redis.pttl("a")).isEqualTo(-1);
    }

    @Test
    void shouldAnswerForEachKeyByItself() {
        lock("mine", "me", 2_000);
        lock("another of mine", "me too", 3_000);
        lock("theirs", "you", 2_000);
        this.redis.command("SET", "text", "theirs");
        this.redis.command("RPUSH", "list", "theirs");

        List<Object> replies = renew(
                List.of("text", "mine", "gone", "theirs", "list", "another of mine"),
                "x",
                "me",
                "x",
                "x",
                "x",
                "me too");

        assertThat(replies).isEqualTo(List.of(1L, -1L, 3L, 0L, 4L, -1L, 5L, -1L));
        assertThat(this.redis.pttl("mine")).isBetween(9_000L, 10_000L);
        assertThat(this.redis.pttl("another of mine")).isBetween(9_000L, 10_000L);
        assertThat(this.redis.pttl("theirs")).isBetween(1L, 2_000L);
        assertThat(this.redis.get("text")).isEqualTo("theirs");
        assertThat(this.redis.pttl("text")).isEqualTo(-1);
        assertThat(this.redis.exists("gone")).isFalse();
    }

    @Test
    void shouldGiveTheTextOfAnErrorForTheKeyThatHasIt() {
        lock("mine", "me", 2_000);
        lock("theirs", "you", 2_000);
        this.redis.command("ACL", "SETUSER", "renewing", "reset", "on", ">any", "~*", "+@all", "-pexpire");
        try {
            this.redis.command("AUTH", "renewing", "any");

            List<Object> replies = renew(List.of("mine", "theirs"), "me", "me");

            assertThat(replies).hasSize(4).startsWith(1L).endsWith(2L, -1L);
            // The texts of Redis 6.2 to 7.0, and of newer servers.
            assertThat(replies.get(1).toString()).matches("(?s).*(NOPERM|The user executing|ACL failure in script).*");
        } finally {
            this.redis.command("ACL", "DELUSER", "renewing");
        }
    }

    @Test
    void shouldNotTakeOwnersForOthersThatReadTheSameTogether() {
        lock("first", "a;b", 2_000);
        lock("second", "c", 2_000);
        lock("third", "", 2_000);

        assertThat(renew(List.of("first", "second", "third"), "a", "b", "c"))
                .isEqualTo(List.of(1L, -1L, 2L, -1L, 3L, -1L));

        assertThat(this.redis.pttl("first")).isBetween(1L, 2_000L);
    }

    @Test
    void shouldWorkOnAFullRedis() {
        lock("a", "me", 2_000);
        this.redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(renew(List.of("a"), "me")).isEmpty();
        assertThat(this.redis.pttl("a")).isBetween(9_000L, 10_000L);
    }

    @Test
    void shouldTakeAHundredKeys() {
        List<String> keys = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lock("key" + i, "id" + i, 2_000);
            keys.add("key" + i);
            ids.add("id" + i);
        }

        assertThat(renew(keys, ids.toArray(String[]::new))).isEmpty();
        assertThat(keys).allSatisfy(key -> assertThat(this.redis.pttl(key)).isGreaterThan(9_000L));
    }
}
