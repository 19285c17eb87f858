package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.LeaseContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Conditions of methods whose work continues after they have returned. */
class ConditionalResultTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @AutoClose
    private final LockedContext app = LockedContext.of(Feeds.class);

    private final Feeds feeds = this.app.getBean(Feeds.class);

    @Test
    void shouldReturnTheFutureItselfIfNotMet() {
        CompletableFuture<String> work = new CompletableFuture<>();

        assertThat(this.feeds.later(work)).isSameAs(work);
        assertThat(this.app.isLocked("feed")).isFalse();

        this.feeds.want(true);
        CompletableFuture<String> held = this.feeds.later(work);
        assertThat(this.app.isLocked("feed")).isTrue();
        work.complete("done");
        assertThat(held).succeedsWithin(SOON).isEqualTo("done");
        assertThat(this.feeds.asked()).hasValue(2);
    }

    @Test
    void shouldBeEvaluatedAtEachSubscription() {
        Mono<String> lock = this.feeds.lock("42");
        assertThat(this.feeds.asked()).as("before").hasValue(0);

        assertThat(lock.block(SOON)).isEqualTo("none");
        this.feeds.want(true);
        assertThat(lock.block(SOON)).isEqualTo("feed:42");
        assertThat(lock.block(SOON)).isEqualTo("feed:42");
        this.feeds.want(false);
        assertThat(lock.block(SOON)).isEqualTo("none");

        assertThat(this.feeds.asked()).hasValue(4);
        assertThat(this.app.isLocked("feed:42")).isFalse();
        assertThat(this.feeds.several().collectList().block(SOON)).containsExactly("none", "none");
    }

    @Test
    void shouldNotEvaluateTheKeyOfASubscriptionWithoutTheLock() {
        assertThat(this.feeds.lock(null).block(SOON)).isEqualTo("none");

        this.feeds.want(true);
        assertThatThrownBy(() -> this.feeds.lock(null).block(SOON)).hasMessageContaining("Key \"#id\" of ");
    }

    @Test
    void shouldFailTheSubscriptionIfItIsNeitherTrueNorFalse() {
        this.feeds.want(null);

        assertThatThrownBy(() -> this.feeds.lock("42").block(SOON)).isInstanceOf(InvalidLockConditionException.class);
        assertThatThrownBy(() -> this.feeds.several().blockLast(SOON))
                .isInstanceOf(InvalidLockConditionException.class);
        assertThat(this.feeds.calls()).hasValue(0);
    }

    static class Feeds {

        private final AtomicInteger asked = new AtomicInteger();

        private final AtomicInteger calls = new AtomicInteger();

        private volatile Boolean wanted = false;

        AtomicInteger asked() {
            return this.asked;
        }

        AtomicInteger calls() {
            return this.calls;
        }

        void want(Boolean lock) {
            this.wanted = lock;
        }

        public Boolean isWanted() {
            this.asked.incrementAndGet();
            return this.wanted;
        }

        @DistributedLock(name = "feed", condition = "#root.target.isWanted()")
        public CompletableFuture<String> later(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLock(name = "feed", key = "#id", condition = "#root.target.isWanted()")
        public Mono<String> lock(String id) {
            this.calls.incrementAndGet();
            return Mono.just(LeaseContext.current().map(lease -> lease.name()).orElse("none"));
        }

        @DistributedLock(name = "feed", condition = "#root.target.isWanted()")
        public Flux<String> several() {
            this.calls.incrementAndGet();
            String lock = LeaseContext.current().map(lease -> lease.name()).orElse("none");
            return Flux.just(lock, lock);
        }
    }
}
