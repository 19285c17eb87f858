package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is in Redis: one key for each lock that is held, which always expires, and nothing else but the version of the format. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class KeyHygieneTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance instance;

    KeyHygieneTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.redis = redis;
        this.server = server;
        this.instance = this.instances.at(proxy, setup -> setup.calm().withDescription());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
            order:4711      | lock:{order:4711}
            a b             | lock:{a b}
            {user}:1        | lock:{%7Buser%7D:1}
            50%             | lock:{50%25}
            50%25           | lock:{50%2525}
            straße          | lock:{straße}
            🔒              | lock:{🔒}
            lock:{x}        | lock:{lock:%7Bx%7D}
            """)
    void shouldBeOneKey(String name, String key) {
        LeaseLock lock = this.instance.lock(name);
        lock.lock();

        assertThat(this.redis.keys()).isEqualTo(List.of(key));
        assertThat(this.redis.command("TYPE", key)).isEqualTo("hash");
        assertThat(this.redis.hgetall(key)).containsOnlyKeys("o", "f");
        assertThat(this.redis.pttl(key)).isBetween(1L, 12_000L);
        lock.unlock();
        assertThat(this.redis.keys()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0000", "a\r\nb", "\u001b[2J", "tab\there", "\u0085"})
    void shouldNotCarryControlCharactersIntoRedis(String name) {
        LeaseLock lock = this.instance.lock("x" + name);
        lock.lock();

        List<?> keys = this.redis.keys();
        assertThat(keys).hasSize(1);
        assertThat(keys.get(0).toString().chars()).noneMatch(Character::isISOControl);
        assertThat(this.instance.lock("x" + name).isLocked()).isTrue();
        lock.unlock();
        assertThat(this.redis.keys()).isEmpty();
    }

    @Test
    void shouldHaveNoKeyThatNeverEnds() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Call<Integer> scanning = Call.start(() -> scanUntil(over));
        List<Call<Integer>> workers = new ArrayList<>();
        long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        for (int i = 0; i < 4; i++) {
            workers.add(Call.start(() -> workUntil(until)));
        }
        for (Call<Integer> worker : workers) {
            assertThat(worker.result()).isGreaterThan(50);
        }
        over.set(true);

        assertThat(scanning.result()).as("keys looked at").isGreaterThan(100);
        soon().until(() -> this.redis.keys().isEmpty());
    }

    private int workUntil(long until) throws Exception {
        int holds = 0;
        for (; System.nanoTime() - until < 0; holds++) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            LockRequest request = LockRequest.of("key:" + random.nextInt(5));
            if (random.nextBoolean()) {
                request = request.withLease(Duration.ofMillis(random.nextInt(200, 500)));
            }
            try {
                this.instance.registry().execute(request, lease -> {
                    this.instance.registry().execute(LockRequest.of(lease.name()), nested -> nested.isHeld());
                    return lease.isHeld();
                });
            } catch (LockLostException ex) {
                assertThat(request.lease()).as("a fixed lease may be too short").isNotNull();
            }
        }
        return holds;
    }

    private static long longest(Object key) {
        return key.toString().startsWith("lock:instance:") ? 300_000 : 12_000;
    }

    /** Looks at keys and their times to live, both in one moment. */
    private int scanUntil(AtomicBoolean over) {
        String script = "local all = {} for _, key in ipairs(redis.call('KEYS', 'lock:[{i]*')) do"
                + " all[#all + 1] = key all[#all + 1] = redis.call('PTTL', key) end return all";
        int seen = 0;
        try (RedisCli scanning = this.server.cli()) {
            while (!over.get()) {
                List<?> found = (List<?>) Objects.requireNonNull(scanning.command("EVAL", script, "0"));
                for (int i = 0; i < found.size(); i += 2) {
                    assertThat(Map.entry(found.get(i), found.get(i + 1)))
                            .satisfies(key -> assertThat((Long) key.getValue()).isBetween(0L, longest(key.getKey())));
                    seen++;
                }
            }
        }
        return seen;
    }
}
