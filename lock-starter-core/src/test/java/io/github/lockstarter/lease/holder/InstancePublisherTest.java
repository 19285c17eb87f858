package io.github.lockstarter.lease.holder;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.support.LockThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When an instance publishes its description. */
@Timeout(60)
class InstancePublisherTest {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);

    private final PuppetStore store = new PuppetStore();

    private final LockThreads threads = new LockThreads();

    private final ThisInstance instance = new ThisInstance("0123456789a", "billing", Instant.EPOCH);

    private final AtomicInteger published = new AtomicInteger();

    @AfterEach
    void stop() {
        this.threads.shutdown();
        this.threads.shutdownNow();
    }

    private void start() {
        new InstancePublisher(this.instance, this.store, this.threads, SOON, Duration.ofSeconds(10)).start();
    }

    @Test
    void shouldPublishAgainAndAgain() {
        this.store.onPublishInstance(holder -> {
            this.published.incrementAndGet();
            return CompletableFuture.completedStage(null);
        });
        start();

        soon().until(() -> this.published.get() >= 3);
        this.threads.shutdown();
        int atTheEnd = this.published.get();
        soon().during(Duration.ofMillis(200)).until(() -> this.published.get() <= atTheEnd + 1);
    }

    @Test
    void shouldPublishWhatOthersFind() {
        start();

        soon().until(() -> found() != null);
        assertThat(found()).isEqualTo(this.instance.holder());
        assertThat(found().host()).isNotBlank();
    }

    private LockHolder found() {
        return this.store
                .findInstance("0123456789a")
                .toCompletableFuture()
                .join()
                .orElse(null);
    }

    @Test
    void shouldTryAgainAfterFailures() {
        this.store.onPublishInstance(holder -> {
            int number = this.published.incrementAndGet();
            if (number == 1) {
                throw new IllegalStateException("not connected");
            }
            return number < 4
                    ? CompletableFuture.failedStage(new IllegalStateException("no answer"))
                    : CompletableFuture.completedStage(null);
        });
        start();

        soon().until(() -> this.published.get() >= 5);
    }

    @Test
    void shouldNotAskAStoreAgainThatKeepsNoDescriptions() {
        this.store.onPublishInstance(holder -> {
            this.published.incrementAndGet();
            return null;
        });
        start();

        soon().until(() -> this.published.get() == 1);
        soon().during(Duration.ofMillis(200)).until(() -> this.published.get() == 1);
    }

    @Test
    void shouldLiveForFourRefreshesAndLongerThanALease() {
        assertThat(InstancePublisher.ttl(Duration.ofSeconds(30))).isEqualTo(Duration.ofMinutes(5));
        assertThat(InstancePublisher.ttl(Duration.ofHours(1))).isGreaterThan(Duration.ofHours(1));
    }

    @Test
    void shouldFindTheNameOfTheHost() {
        assertThat(HostName.find(Map.of("HOSTNAME", "host-7", "COMPUTERNAME", "PC")))
                .isCompletedWithValue("host-7");
        assertThat(HostName.find(Map.of("HOSTNAME", " ", "COMPUTERNAME", "PC"))).isCompletedWithValue("PC");
        assertThat(HostName.find(Map.of()))
                .succeedsWithin(Duration.ofSeconds(30))
                .asString()
                .isNotBlank();
    }
}
