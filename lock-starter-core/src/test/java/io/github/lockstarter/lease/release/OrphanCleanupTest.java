package io.github.lockstarter.lease.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.lease.Failures;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Grants;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Taking back what nobody waits for. */
class OrphanCleanupTest {

    private static final String NAME = "orders:42";

    private static final long LEASE = 60_000;

    private final HandClock clock = new HandClock();

    private final PuppetStore store = new PuppetStore();

    private final LockThreads threads = new LockThreads();

    private final OrphanCleanup cleanup =
            new OrphanCleanup(this.clock, this.store, this.threads, LoggedNames.WITH_KEYS);

    @AfterEach
    void stop() {
        this.threads.shutdown();
        this.threads.shutdownNow();
    }

    private Grant grant() {
        AcquireReply reply = this.store.acquire(NAME, "id", LEASE, false);
        return Grants.grant(this.clock, NAME, "id", ((AcquireReply.Granted) reply).fencingToken(), LEASE);
    }

    /** The grant is over, but an attempt of its acquisition has no reply. */
    private Grant unanswered() {
        Grant grant = Grants.grant(this.clock, NAME, "id", 1, LEASE);
        grant.setUnanswered(LEASE);
        return grant;
    }

    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(5));
    }

    /** No more releases come for longer than the first pauses last. */
    private void shouldHaveEnded(int releases) {
        eventually().during(Duration.ofMillis(300)).until(() -> this.store.releases() == releases);
    }

    /** Releases stop coming; one that is overdue would come again at once. */
    private void shouldEnd() {
        AtomicInteger before = new AtomicInteger(-1);
        eventually().during(Duration.ofMillis(600)).until(() -> {
            int releases = this.store.releases();
            return releases == before.getAndSet(releases);
        });
    }

    @Test
    void shouldReleaseAGrantOnce() {
        this.cleanup.ofGrant(grant());

        eventually().until(() -> !this.store.isLocked(NAME));
        shouldHaveEnded(1);
    }

    @Test
    void shouldTakeTheFirstAnswerForAGrantAsFinal() {
        Grant grant = grant();
        this.store.forceRelease(NAME);
        this.store.acquire(NAME, "other", LEASE, false);

        this.cleanup.ofGrant(grant);

        shouldHaveEnded(1);
        assertThat(this.store.isLocked(NAME)).isTrue();
    }

    @Test
    void shouldGoOnUntilTheStoreAnswers() {
        AtomicInteger failures = new AtomicInteger(4);
        this.store.onRelease(real -> {
            if (failures.getAndDecrement() > 0) {
                throw Failures.unanswered();
            }
            return real.make();
        });

        this.cleanup.ofGrant(grant());

        eventually().until(() -> !this.store.isLocked(NAME));
        shouldHaveEnded(5);
    }

    @Test
    void shouldGoOnWhenTheStoreIsBroken() {
        AtomicInteger failures = new AtomicInteger(2);
        this.store.onRelease(real -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("broken");
            }
            return real.make();
        });

        this.cleanup.ofGrant(grant());

        eventually().until(() -> !this.store.isLocked(NAME));
    }

    @Test
    void shouldGiveUpWhenTheLeaseHasRunOut() {
        this.store.onRelease(real -> {
            throw Failures.unanswered();
        });
        this.cleanup.ofGrant(grant());
        eventually().until(() -> this.store.releases() >= 1);

        this.clock.pass(Duration.ofMillis(LEASE).plusSeconds(10));

        shouldEnd();
    }

    /** "Not mine" proves nothing while the acquire may still be on its way. */
    @Test
    void shouldTakeBackAGrantThatComesLate() {
        this.cleanup.ofUnanswered(unanswered());
        eventually().until(() -> this.store.releases() >= 2);

        assertThat(this.store.acquire(NAME, "id", LEASE, false)).isInstanceOf(AcquireReply.Granted.class);

        eventually().until(() -> !this.store.isLocked(NAME));
        int releases = this.store.releases();
        eventually().until(() -> this.store.releases() > releases);
    }

    @Test
    void shouldEndWhenWhatWasUnansweredWouldHaveRunOut() {
        this.clock.pass(Duration.ofSeconds(1));
        this.cleanup.ofUnanswered(unanswered());
        eventually().until(() -> this.store.releases() >= 1);

        this.clock.pass(Duration.ofMillis(LEASE));

        shouldEnd();
    }

    @Test
    void shouldNotTouchTheGrantsOfOthers() {
        this.store.acquire(NAME, "other", LEASE, false);

        this.cleanup.ofUnanswered(unanswered());

        eventually().until(() -> this.store.releases() >= 3);
        assertThat(this.store.isLocked(NAME)).isTrue();
    }
}
