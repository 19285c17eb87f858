package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A process whose threads are limited for a moment, at its request. It requests that, and other things, by lines of its output;
 * each is answered by an empty line. Its last line is {@link #DONE} if nothing was wrong after the moment.
 */
final class RefusedThreadsWorker {

    static final String REFUSE = "refuse-threads";

    static final String ALLOW = "allow-threads";

    static final String PAUSE_REDIS = "pause-redis";

    static final String RESUME_REDIS = "resume-redis";

    static final String DONE = "done";

    /** What is going on in that moment. */
    enum Subject {
        /** Futures that wait, begin to wait, and are cancelled. */
        FUTURES,
        /** Waits of threads, the first ones of their instance. */
        MESSAGES,
        /** Acquisitions of free locks by the first users of an instance. */
        ACQUISITIONS,
        /** Renewals. */
        WATCHDOG,
        /** Releases. */
        RELEASES,
        /** Commands whose replies have a time limit. */
        TIME_LIMITS,
        /** Confirmations by a replica, whose connection breaks. */
        CONFIRMATIONS
    }

    /** What is possible, is possible within this time after the moment. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration LONG = Duration.ofMinutes(1);

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final BufferedReader REPLIES =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final Instances instances = new Instances();

    private final int port;

    private final RedisCli redis;

    private RefusedThreadsWorker(int port) {
        this.port = port;
        this.redis = RedisCli.connect(port, Duration.ofMinutes(1));
    }

    public static void main(String[] arguments) {
        try {
            new RefusedThreadsWorker(Integer.parseInt(arguments[0])).run(Subject.valueOf(arguments[1]));
            System.out.println(DONE);
        } catch (Throwable ex) {
            ex.printStackTrace(System.out);
        }
        // Whatever may hang now is not the subject.
        Runtime.getRuntime().halt(0);
    }

    private void run(Subject subject) throws Exception {
        switch (subject) {
            case FUTURES -> futures();
            case MESSAGES -> messages();
            case ACQUISITIONS -> acquisitions();
            case WATCHDOG -> watchdog();
            case RELEASES -> releases();
            case TIME_LIMITS -> timeLimits();
            case CONFIRMATIONS -> confirmations();
        }
    }

    private void futures() throws Exception {
        Instance owner = instance(setup -> setup.lease(LONG));
        Instance instance = instance(setup -> setup.waitTime(LONG));
        Lease first = owner.acquire("waiting");
        Lease second = owner.acquire("cancelled");
        Lease third = owner.acquire("called");
        CompletableFuture<Lease> cancelled = instance.waitFor("cancelled");
        CompletableFuture<Lease> called = instance.waitFor("called");
        soon().until(() -> instance.waiting() == 2);

        refuse();
        CompletableFuture<Lease> waiting = attempt(() -> instance.waitFor("waiting"));
        CompletableFuture<Lease> free = attempt(() -> instance.waitFor("free"));
        cancelled.cancel(false);
        third.release();
        allow();

        first.release();
        second.release();
        end(waiting);
        end(free);
        end(called);
        assertThatAllAreUsable(instance, "waiting", "free", "cancelled", "called");
    }

    private void messages() throws Exception {
        Instance owner = instance(setup -> setup.lease(LONG));
        Instance instance = instance(setup -> setup.withoutPolling().lease(LONG).waitTime(LONG));
        Lease first = owner.acquire("first");

        refuse();
        attemptAndRelease(instance, "first");
        allow();

        first.release();
        assertThatAllAreUsable(instance, "first");
        Lease second = owner.acquire("second");
        CompletableFuture<Lease> waiting = instance.waitFor("second");
        within(SOON)
                .untilAsserted(() -> assertThat(WaitingLine.of(this.redis, "lock:{second}"))
                        .as("the line, without which it would poll twice a minute")
                        .hasSize(1));
        second.release();
        end(waiting);
    }

    private void acquisitions() throws Exception {
        Instance instance = instance(setup -> setup);
        Instance another = instance(setup -> setup);

        refuse();
        Lease lease = attempt(() -> instance.acquire("lease"));
        Boolean locked = attempt(() -> another.lock("thread").tryLock());
        allow();

        if (lease != null) {
            assertThatItIsRenewed(instance, lease);
            lease.release();
        }
        if (Boolean.TRUE.equals(locked)) {
            assertThatItIsRenewed(another, another.lock("thread").currentLease());
            another.lock("thread").unlock();
        }
        for (Instance each : List.of(instance, another)) {
            assertThatAllAreUsable(each, "lease", "thread");
            Lease next = each.acquire("next");
            assertThatItIsRenewed(each, next);
            assertThat(next.release()).isTrue();
        }
    }

    private void watchdog() throws Exception {
        Instance instance = instance(setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(500)));
        Lease kept = instance.acquire("kept");
        Lease deleted = instance.acquire("deleted");
        Lease ending = instance.registry().acquire(LockRequest.of("ending").withLease(Duration.ofSeconds(2)));
        CompletableFuture<LossReason> deletedIsLost = deleted.lost().toCompletableFuture();
        CompletableFuture<LossReason> endingIsLost = ending.lost().toCompletableFuture();

        refuse();
        this.redis.command("DEL", "lock:{deleted}");
        within(SOON).until(() -> !this.redis.exists("lock:{ending}"));
        allow();

        assertThat(endingIsLost.get(SOON.toMillis(), TimeUnit.MILLISECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(deletedIsLost.get(SOON.toMillis(), TimeUnit.MILLISECONDS)).isNotNull();
        within(SOON).until(() -> instance.events().count(LockLostEvent.class) == 2);
        assertThatItIsRenewed(instance, kept);
        assertThat(kept.release()).isTrue();
        assertThat(ending.release()).isFalse();
        assertThat(deleted.release()).isFalse();
        Lease next = instance.acquire("ending");
        assertThatItIsRenewed(instance, next);
        assertThat(next.release()).isTrue();
        assertThatAllAreUsable(instance, "kept", "ending", "deleted");
    }

    private void releases() throws Exception {
        Instance instance = instance(setup -> setup.lease(LONG));
        Lease later = instance.acquire("later");
        Lease now = instance.acquire("now");
        Lease kept = instance.acquire("kept");

        refuse();
        CompletableFuture<Boolean> released = attempt(() -> later.releaseAsync().toCompletableFuture());
        Object unused = attempt(now::release);
        CompletableFuture<Boolean> ended =
                attempt(() -> kept.releaseAsync(Duration.ofMillis(100)).toCompletableFuture());
        allow();

        assertThat(later.isHeld() || now.isHeld() || kept.isHeld()).isFalse();
        end(released);
        end(ended);
        end(later.releaseAsync().toCompletableFuture());
        assertThatAllAreUsable(instance, "later", "now", "kept");
    }

    /** A release without a reply is completed when the lock is free because its lease has expired. */
    private void timeLimits() throws Exception {
        Instance instance = instance(setup -> setup);
        Lease first = instance.acquire("first");

        refuse();
        CompletableFuture<Boolean> released = attempt(() -> first.releaseAsync().toCompletableFuture());
        allow();

        end(released);
        Lease second = instance.acquire("second");
        request(PAUSE_REDIS);
        CompletableFuture<Boolean> unanswered = second.releaseAsync().toCompletableFuture();
        end(unanswered);
        request(RESUME_REDIS);
        assertThatAllAreUsable(instance, "first", "second");
    }

    private void confirmations() throws Exception {
        Instance instance = instance(setup -> setup.confirmReplicas(1).lease(LONG));
        assertThatAllAreUsable(instance, "before");
        // The thread that has opened the connection would open the next one.
        within(SOON)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("lock-confirm")));

        refuse();
        killConfirmingConnection();
        // The first ones may still use the connection that is broken.
        for (int i = 0; i < 3; i++) {
            attemptAndRelease(instance, "during");
        }
        allow();

        assertThatAllAreUsable(instance, "before", "during");
    }

    private void killConfirmingConnection() {
        String connection = String.valueOf(this.redis.command("CLIENT", "LIST", "TYPE", "normal"))
                .lines()
                .filter(line -> line.contains(" cmd=wait "))
                .findFirst()
                .orElseThrow();
        this.redis.command("CLIENT", "KILL", "ID", connection.replaceFirst("^id=(\\d+) .*", "$1"));
    }

    private Instance instance(UnaryOperator<Setup> setup) {
        return this.instances.at(this.port, each -> setup.apply(each.lease(LEASE)));
    }

    /** Does something in the moment, which may succeed or fail in any way; null: it has failed. */
    private static <T> T attempt(Callable<T> action) {
        try {
            return action.call();
        } catch (Throwable ex) {
            System.out.println("In that moment: " + ex);
            return null;
        }
    }

    private static void attemptAndRelease(Instance instance, String name) {
        LockRequest request = LockRequest.of(name).withWaitTime(Duration.ofMillis(300));
        Object unused = attempt(() -> instance.registry().tryAcquire(request).map(Lease::release));
    }

    private static void refuse() throws IOException {
        request(REFUSE);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> new Thread(() -> {}).start());
    }

    private static void allow() throws IOException {
        request(ALLOW);
        new Thread(() -> {}).start();
    }

    private static void request(String what) throws IOException {
        System.out.println(what);
        if (REPLIES.readLine() == null) {
            throw new IOException("The test has ended.");
        }
    }

    /** Whatever was the result: the future is completed, and a lease is released. */
    private static void end(CompletableFuture<?> future) {
        if (future == null) {
            return;
        }
        within(SOON).until(future::isDone);
        if (!future.isCompletedExceptionally() && future.join() instanceof Lease lease) {
            lease.release();
        }
    }

    private static void assertThatItIsRenewed(Instance instance, Lease lease) {
        long before = instance.events().count(LockRenewedEvent.class, lease.name());
        within(SOON).until(() -> instance.events().count(LockRenewedEvent.class, lease.name()) > before + 1);
        assertThat(lease.isHeld()).isTrue();
    }

    /** In each way, when what the moment has left has expired; and nothing is left in this JVM. */
    private static void assertThatAllAreUsable(Instance instance, String... names) throws Exception {
        for (String name : names) {
            LockRequest request = LockRequest.of(name).withWaitTime(SOON);
            Lease first = instance.registry().acquire(request);
            assertThat(first.isHeld()).isTrue();
            assertThat(first.release()).isTrue();
            CompletableFuture<Lease> future =
                    instance.registry().acquireAsync(request).toCompletableFuture();
            Lease second = future.get(SOON.toMillis() * 2, TimeUnit.MILLISECONDS);
            assertThat(second.releaseAsync().toCompletableFuture().get(SOON.toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
        }
        within(SOON).untilAsserted(() -> {
            assertThat(instance.active()).as("leases that are live").isZero();
            assertThat(instance.waiting()).as("waits").isZero();
        });
    }
}
