package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.ui.LockScan.Part;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@RedisTest
class LockScanTest {

    private final LettuceConnectionFactory factory;

    private final RedisCli redis;

    LockScanTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.factory = new LettuceConnectionFactory(server.host(), server.port());
        this.factory.afterPropertiesSet();
        this.factory.start();
    }

    @AfterEach
    void stop() {
        this.factory.destroy();
    }

    private LockScan scan(String prefix) {
        return new LockScan(this.factory, prefix, Duration.ofSeconds(30));
    }

    private void create(String... keys) {
        for (String key : keys) {
            this.redis.command("HSET", key, "o", "x");
        }
    }

    private Set<String> all(String prefix, String text) {
        Set<String> names = new HashSet<>();
        Part part = null;
        do {
            part = scan(prefix).next(part != null ? part.cursor() : null, text, 10);
            names.addAll(part.names());
        } while (part.cursor() != null);
        return names;
    }

    @Test
    void shouldFindTheLocksOfItsPrefixOnly() {
        create("a*[b]:{one}", "a*[b]:{two}", "axb:{three}", "a*[b]:instance:four", "a*[b]:{five}:six", "a*[b]:{}0");

        assertThat(all("a*[b]", "")).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void shouldFindATextAsItIs() {
        create("lock:{a*b}", "lock:{axb}", "lock:{100%25}", "lock:{25}", "lock:{x%7By%7D}", "lock:{back\\slash}");

        assertThat(all("lock", "a*b")).containsExactly("a*b");
        assertThat(all("lock", "%")).containsExactly("100%");
        assertThat(all("lock", "25")).containsExactly("25");
        assertThat(all("lock", "{y")).containsExactly("x{y}");
        assertThat(all("lock", "k\\s")).containsExactly("back\\slash");
        assertThat(all("lock", "A*B")).isEmpty();
    }

    @Test
    void shouldFindEachOfManyLocks() {
        PageTests.createLocks(this.redis, 10_000);

        assertThat(all("lock", "")).hasSize(10_000).allMatch(name -> name.matches("many:\\d+"));
        assertThat(all("lock", "many:999")).hasSize(11);
    }

    @Test
    void shouldFindFewLocksAmongManyKeysInFewCalls() {
        this.redis.command("EVAL", "for i = 1, 20000 do redis.call('SET', 'other:' .. i, 1) end", "0");
        create("lock:{one}", "lock:{two}");
        this.redis.command("CONFIG", "RESETSTAT");

        assertThat(all("lock", "")).containsExactlyInAnyOrder("one", "two");
        assertThat(this.redis.infoCommandStats().get("scan")).isLessThan(60);
    }
}
