package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is in Redis: one key for each lock that is held, which always expires, and nothing else but the version of the
 * format and the descriptions of instances. Other prefixes and databases have locks of their own.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class KeyHygieneTest extends FaultFixture {

    private Instance instance;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.proxy, setup -> setup.calm().withDescription());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
            order:4711      | lock:{order:4711}
            a b             | lock:{a b}
            {user}:1        | lock:{%7Buser%7D:1}
            straße 🔒       | lock:{straße 🔒}
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

    @Test
    void shouldHaveLocksOfItsOwnUnderAnotherPrefix() throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.calm().keyPrefix("shop"));

        LockRequest request = LockRequest.of("same").withWaitTime(Duration.ZERO);
        assertThat(this.instance.registry().tryAcquire(request)).isPresent();
        assertThat(other.registry().tryAcquire(request)).isPresent();
        assertThat(this.redis.exists("lock:{same}")).isTrue();
        assertThat(this.redis.exists("shop:{same}")).isTrue();
    }

    /** Messages know no databases: each instance has an inbox of its own. */
    @Test
    void shouldWakeWaitersOfTheSameDatabaseOnly() throws Exception {
        Instance owner = this.instances.at(this.server, setup -> setup.calm().database(1));
        Instance elsewhere = this.instances.at(this.server, KeyHygieneTest::onlyMessages);
        Instance beside =
                this.instances.at(this.server, setup -> onlyMessages(setup).database(1));
        Lease here = this.instance.registry().acquire(LockRequest.of("same"));
        Lease there = owner.registry().acquire(LockRequest.of("same"));
        CompletableFuture<Long> waitsHere = waitFor(elsewhere);
        CompletableFuture<Long> waitsThere = waitFor(beside);
        WaitingLine.awaitSubscribed(this.redis, "lock:{same}", 1);
        try (RedisCli database = this.server.cli()) {
            database.command("SELECT", "1");
            WaitingLine.awaitSubscribed(database, "lock:{same}", 1);
        }

        there.release();

        assertThat(get(waitsThere)).isGreaterThan(there.fencingToken());
        assertThat(waitsHere.isDone()).isFalse();
        assertThat(here.isHeld()).isTrue();
        here.release();
        assertThat(get(waitsHere)).isGreaterThan(here.fencingToken());
    }

    private static Setup onlyMessages(Setup setup) {
        return setup.calm().pollInterval(Duration.ofMinutes(1));
    }

    private static CompletableFuture<Long> waitFor(Instance instance) {
        return inThread(() -> instance.registry()
                .execute(LockRequest.of("same").withWaitTime(Duration.ofMinutes(1)), Lease::fencingToken));
    }
}
