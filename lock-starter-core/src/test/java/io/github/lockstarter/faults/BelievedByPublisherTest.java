package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.aop.RealLocks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotated methods that return publishers or futures take believed messages as well. */
@RedisTest
class BelievedByPublisherTest {

    private static final String KEY = SilentOwner.KEY;

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    @AutoClose("destroy")
    private final LettuceConnectionFactory connections;

    @AutoClose
    private final RealLocks application;

    BelievedByPublisherTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.connections = Servers.at(proxy.host(), proxy.port());
        this.connections.afterPropertiesSet();
        this.connections.start();
        this.application = RealLocks.on(
                new RedisLockStore(
                        this.connections,
                        new RedisStoreSettings("lock", Duration.ofSeconds(5), true, Duration.ofSeconds(4))),
                SilentOwner.LEASE,
                Reports.class);
        soon().ignoreExceptions().until(() -> !this.application.isLocked("barrier"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeedOneRenewalAndNoAcquire(Result result) {
        Reports reports = this.application.bean(Reports.class);
        // A method that returns a future waits on the calling thread.
        CompletableFuture<String> future =
                CompletableFuture.completedFuture(reports).thenComposeAsync(result.of);
        this.owner.awaitProof(this.application.registry, this.proxy);
        this.proxy.forgetCommands();

        this.owner.publish(this.owner.release());

        assertThat(future).succeedsWithin(LIMIT).isEqualTo("done");
        soon().until(() -> !this.redis.exists(KEY));
        // The renewal is sent after the waiter was woken, whose work may end before that.
        soon().until(() -> this.proxy.commandsSeen(Script.RENEW.of(KEY)) == 1);
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isZero();
    }

    // its functions keep nothing
    @SuppressWarnings("ImmutableEnumChecker")
    enum Result {
        MONO(reports -> reports.mono().toFuture()),
        FLUX(reports -> reports.flux().last().toFuture()),
        FUTURE(Reports::future);

        private final Function<Reports, CompletableFuture<String>> of;

        Result(Function<Reports, CompletableFuture<String>> of) {
            this.of = of;
        }
    }

    static class Reports {

        @DistributedLock(name = SilentOwner.NAME)
        public Mono<String> mono() {
            return Mono.fromSupplier(() -> "done");
        }

        @DistributedLock(name = SilentOwner.NAME)
        public Flux<String> flux() {
            return Flux.just("begun", "done");
        }

        @DistributedLock(name = SilentOwner.NAME)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }
    }
}
