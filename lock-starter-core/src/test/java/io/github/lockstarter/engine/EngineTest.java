package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.Engine.Observer;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Rules;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.lock.Waiter;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The driver: threads, mutexes and the order of effects, and errors wherever a method is called. What a lock does is
 * tested by the simulation.
 */
@Timeout(60)
class EngineTest {

    private static final long MILLI = Moment.MILLI;

    private static final Terms RENEWED = new Terms(6_000 * MILLI, 2_000 * MILLI, Moment.NEVER, 0);

    private static final Rules RULES =
            new Rules(1_000 * MILLI, 1_000 * MILLI, 2_000 * MILLI, 10 * MILLI, 64, false, Integer.MAX_VALUE);

    @AutoClose
    private final RemoteStore.Server server = new RemoteStore.Server();

    private final List<Engine> engines = new ArrayList<>();

    private final List<RemoteStore> stores = new ArrayList<>();

    private final Log log = new Log();

    /** Notes what observers are notified of, in that order. */
    private static final class Log implements Observer {

        private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

        /** Thrown once, by the next notification. */
        private final AtomicReference<@Nullable Error> error = new AtomicReference<>();

        private void note(String what) {
            Error thrown = this.error.getAndSet(null);
            if (thrown != null) {
                throw thrown;
            }
            this.lines.add(what);
        }

        Stream<String> starting(String prefix) {
            return this.lines.stream().filter(line -> line.startsWith(prefix));
        }

        @Override
        public void granted(Wait wait, Grant grant, Effects.Way way) {
            note("granted " + grant.token);
        }

        @Override
        public void refused(Wait wait, Refusal refusal) {
            note("refused " + refusal.cause());
        }

        @Override
        public void renewed(Grant grant, Moment sentAt) {}

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {}

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {}

        @Override
        public void recovered(Grant grant) {}

        @Override
        public void releaseRequested(Grant grant) {
            note("asked " + grant.token);
        }

        @Override
        public void lost(Grant grant, LossReason reason) {
            note("lost " + reason);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            note("released " + grant.token);
        }

        @Override
        public String shownName(String lockName) {
            return lockName;
        }

        @Override
        public void messageRejected() {
            note("rejected");
        }

        @Override
        public void taken(String owner) {}

        @Override
        public void waitsForStore(String lockName, LockStoreException cause) {}

        @Override
        public void keepHouse() {}
    }

    /** A wait without a thread. */
    private static final class Future extends Wait {

        private final CountDownLatch over = new CountDownLatch(1);

        private volatile @Nullable Grant grant;

        private volatile @Nullable Refusal refusal;

        Future(String lock, long waitTime) {
            this(lock, waitTime, RENEWED);
        }

        Future(String lock, long waitTime, Terms terms) {
            super(LockRequest.of(lock), waitTime, terms, Owner.NONE);
        }

        @Override
        public void granted(Grant granted, Effects.Way way) {
            this.grant = granted;
            this.over.countDown();
        }

        @Override
        public void refused(Refusal refused) {
            this.refusal = refused;
            this.over.countDown();
        }
    }

    /** Time passes only if a test says so. */
    private static final class StandingClock implements LeaseClock {

        private final AtomicLong passed = new AtomicLong();

        @Override
        public long nanoTime() {
            return this.passed.get();
        }

        @Override
        public long currentTimeMillis() {
            return this.passed.get() / MILLI;
        }
    }

    private Engine engine() {
        return engine(RULES);
    }

    private Engine engine(Rules rules) {
        return engine(rules, this.log, LeaseClock.SYSTEM);
    }

    private Engine engine(Rules rules, Log events, LeaseClock clock) {
        return engine(rules, events, clock, new AcquisitionIds());
    }

    private Engine engine(Rules rules, Log events, LeaseClock clock, AcquisitionIds ids) {
        RemoteStore store = new RemoteStore(this.server);
        Engine engine = new Engine(store, rules, events, clock, ids);
        engine.start();
        this.engines.add(engine);
        this.stores.add(store);
        return engine;
    }

    @AfterEach
    void stop() {
        this.engines.forEach(engine -> engine.stop(Duration.ZERO));
    }

    private static ThreadWait waiting(String lock, long waitTime) {
        return new ThreadWait(LockRequest.of(lock), waitTime, RENEWED, Owner.NONE, true);
    }

    private static @Nullable Grant acquire(Engine engine, String lock, long waitTime) throws InterruptedException {
        ThreadWait wait = waiting(lock, waitTime);
        return engine.acquire(wait) ? wait.grant : null;
    }

    /** Twelve threads of three instances, which are interrupted again and again. */
    @Test
    void shouldExcludeThreadsAndNotifyInOrder() throws InterruptedException {
        List<Log> logs = List.of(new Log(), new Log(), new Log());
        List<Engine> all = logs.stream()
                .map(each -> engine(RULES, each, LeaseClock.SYSTEM))
                .toList();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Engine engine = all.get(i % 3);
            Thread thread = new Thread(() -> {
                for (int round = 0; round < 1_000; round++) {
                    try {
                        Grant grant = acquire(engine, "a", Waiter.FOREVER);
                        if (grant == null || inside.incrementAndGet() != 1) {
                            violations.incrementAndGet();
                            return;
                        }
                        inside.decrementAndGet();
                        violations.addAndGet(engine.release(grant) ? 0 : 1);
                    } catch (InterruptedException ex) {
                        interrupts.incrementAndGet();
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        IntSupplier alive = () -> (int) threads.stream().filter(Thread::isAlive).count();
        for (int i = 0; alive.getAsInt() > 0; i++) {
            threads.get(i % threads.size()).interrupt();
            threads.get((i + 5) % threads.size()).join(2);
        }

        assertThat(violations).hasValue(0);
        assertThat(interrupts).hasPositiveValue();
        await().until(() -> all.stream().mapToInt(Engine::liveGrants).sum() == 0);
        for (Log each : logs) {
            await().until(() -> each.starting("released").count()
                    == each.starting("granted").count());
            // The tokens have the same number of digits.
            assertThat(each.starting("granted")).hasSizeGreaterThan(1_000).isSorted();
            Set<String> held = new HashSet<>();
            each.lines.stream().filter(line -> !line.startsWith("refused")).forEach(line -> {
                String token = line.substring(line.indexOf(' '));
                assertThat(line.startsWith("granted") ? held.add(token) : held.remove(token))
                        .as(line)
                        .isTrue();
            });
        }
    }

    /** Whoever may publish can make ids up, and each would be answered with a release. */
    @Test
    void shouldRejectAFloodOfMessagesAboutUnknownIds() throws InterruptedException {
        AcquisitionIds ids = new AcquisitionIds();
        Engine engine = engine(RULES, this.log, LeaseClock.SYSTEM, ids);
        long begin = System.nanoTime();

        for (int i = 0; i < 10_000; i++) {
            engine.granted("made up " + i, ids.next(), 7);
        }

        long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        assertThat(this.log.starting("rejected")).as("rejected messages").hasSizeGreaterThan((int)
                (10_000 - 200 * seconds));
        Grant grant = acquire(engine, "a", 0);
        assertThat(grant).as("grant after the flood").isNotNull();
    }

    /** A burst of messages, as after a partition, must not cost the instance the messages of the hours that follow. */
    @Test
    void shouldReleaseWhatMessagesReportAgainASecondAfterAFlood() {
        AcquisitionIds ids = new AcquisitionIds();
        Engine engine = engine(RULES, this.log, LeaseClock.SYSTEM, ids);
        for (int i = 0; i < 200; i++) {
            engine.granted("made up " + i, ids.next(), 7);
        }
        assertThat(this.log.starting("rejected"))
                .as("rejected messages of a flood")
                .isNotEmpty();
        Set<String> released = ConcurrentHashMap.newKeySet();
        this.stores.get(0).intercept((command, store) -> {
            if (command instanceof Command.Release release) {
                released.add(release.lock());
            }
            return store.apply(command);
        });

        await().untilAsserted(() -> {
            engine.granted("later", ids.next(), 7);
            assertThat(released)
                    .as("locks that are released because a message after a flood has reported their grant")
                    .contains("later");
        });
    }

    /** The lease of such a grant is that in which it must be claimed, which is shorter than its owner has requested. */
    @Test
    void shouldNotConfirmAGrantOfWhichOnlyAMessageHasReported() throws InterruptedException {
        Engine holder = engine();
        Engine other = engine();
        Grant held = Objects.requireNonNull(acquire(holder, "a", 0));
        AtomicBoolean isSilent = new AtomicBoolean();
        this.stores.get(1).intercept((command, store) -> {
            if (isSilent.get()) {
                throw new LockStoreException("no answer", null, true, true);
            }
            return store.apply(command);
        });
        Future wait = new Future("a", 10_000 * MILLI);
        other.enter(wait, null);
        await().until(() -> this.stores.get(0).call(new Command.Inspect("a", false)) instanceof Reply.Described found
                && found.lock() != null
                && found.lock().waiting() == 1);
        isSilent.set(true);

        holder.release(held);

        await().until(() -> wait.grant != null);
        Grant grant = Objects.requireNonNull(wait.grant);
        assertThat(other.isConfirmed(grant))
                .as("a grant is confirmed although the store has answered no command for it")
                .isFalse();
        isSilent.set(false);
        await().untilAsserted(() -> assertThat(other.isConfirmed(grant))
                .as("the grant is confirmed after a renewal")
                .isTrue());
    }

    /** The watchdog may be late. */
    @Test
    void shouldLoseAGrantWhoseDeadlineHasPassedWhenItsOwnerAsks() throws InterruptedException {
        StandingClock clock = new StandingClock();
        Engine engine = engine(RULES, this.log, clock);
        Grant grant = Objects.requireNonNull(acquire(engine, "a", 0));

        clock.passed.set(6_000 * MILLI);

        assertThat(engine.remaining(grant)).as("remaining nanoseconds").isZero();
        assertThat(grant.state).as("state after the deadline").isEqualTo(Grant.State.LOST);
        assertThat(this.log.starting("lost"))
                .as("losses that were reported when the owner asked")
                .containsExactly("lost EXPIRED");
    }

    /**
     * The wait has ended so long ago that nothing of its lock is left. Without a release, the grant would block others
     * until its lease ends.
     */
    @Test
    void shouldReleaseWhatAMessageReportsForALockWithoutACell() throws InterruptedException {
        AcquisitionIds ids = new AcquisitionIds();
        Engine engine = engine(RULES, this.log, LeaseClock.SYSTEM, ids);
        String id = ids.next();
        Reply reply = this.stores.get(0).call(new Command.Acquire("a", id, TimeUnit.HOURS.toMillis(1), false));
        assertThat(reply).isInstanceOf(Reply.Granted.class);

        engine.granted("a", id, ((Reply.Granted) reply).token());

        assertThat(acquire(engine(), "a", 10_000 * MILLI))
                .as("grant of another instance after the one of which the message has reported")
                .isNotNull();
    }

    /** Names of locks with a short lease begin with an s, and those with a long one with an l. */
    private List<Future> waits(Engine engine, int each) {
        List<Future> waits = new ArrayList<>();
        for (String prefix : List.of("s", "l")) {
            for (int i = 0; i < each; i++) {
                long lease = prefix.equals("s") ? 6_000 : 9_000;
                Future wait = new Future(prefix + i, 0, new Terms(lease * MILLI, 200 * MILLI, Moment.NEVER, 0));
                engine.enter(wait, null);
                waits.add(wait);
            }
        }
        return waits;
    }

    @Test
    void shouldRenewDifferentLeasesInDifferentBatches() {
        Engine engine = engine();
        ConcurrentLinkedQueue<List<Command.Renew>> batches = new ConcurrentLinkedQueue<>();
        this.stores.get(0).intercept((command, store) -> {
            if (command instanceof Command.RenewAll all) {
                batches.add(all.renewals());
            }
            return store.apply(command);
        });

        List<Future> waits = waits(engine, 10);

        // A lock whose grant came in an earlier slot of time may be renewed alone.
        await().untilAsserted(
                        () -> assertThat(batches.stream().flatMap(List::stream).map(Command.Renew::lock))
                                .as("locks that were renewed in batches")
                                .anyMatch(lock -> lock.startsWith("s"))
                                .anyMatch(lock -> lock.startsWith("l")));
        assertThat(batches)
                .allSatisfy(batch -> assertThat(batch)
                        .as("renewals of one batch have one lease: %s", batch)
                        .extracting(Command.Renew::leaseMillis)
                        .containsOnly(batch.get(0).leaseMillis()));
        assertThat(batches.stream().flatMap(List::stream))
                .allSatisfy(renewal -> assertThat(renewal.leaseMillis())
                        .as("lease of %s", renewal)
                        .isEqualTo(renewal.lock().startsWith("s") ? 6_000 : 9_000));
        assertThat(waits).as("held locks").allMatch(wait -> wait.grant != null && wait.grant.isLive());
    }

    @Test
    void shouldLoseOnlyTheGrantOfABatchThatTheStoreDoesNotHave() {
        StandingClock clock = new StandingClock();
        Engine engine = engine(RULES, this.log, clock);
        ConcurrentLinkedQueue<String> missing = new ConcurrentLinkedQueue<>();
        this.stores.get(0).intercept((command, store) -> {
            Reply reply = store.apply(command);
            if (!(command instanceof Command.RenewAll all && reply instanceof Reply.RenewedAll renewed)) {
                return reply;
            }
            List<Reply> outcomes = new ArrayList<>(renewed.outcomes());
            int last = outcomes.size() - 1;
            outcomes.set(last, Reply.NotOwner.FREE);
            missing.add(all.renewals().get(last).lock());
            return new Reply.RenewedAll(outcomes);
        });
        List<Future> waits = waits(engine, 5);
        await().until(() -> waits.stream().allMatch(wait -> wait.grant != null));

        // All locks are due at the same time, unless the watchdog was visiting them just then.
        clock.passed.set(200 * MILLI);

        await().untilAsserted(() -> {
            assertThat(missing)
                    .as("locks that the store does not have, one of each batch")
                    .hasSizeBetween(1, 3);
            assertThat(waits.stream()
                            .filter(wait -> wait.grant != null && !wait.grant.isLive())
                            .map(wait -> wait.request.lockName()))
                    .as("locks that are lost")
                    .containsExactlyInAnyOrderElementsOf(missing);
        });
    }

    /** The server may not have the grant: the owner must not learn of it at its next renewal only. */
    @Test
    void shouldRenewAtOnceWhenTheServerHasChanged() throws InterruptedException {
        Engine engine = engine(RULES, this.log, new StandingClock());
        Grant grant = Objects.requireNonNull(acquire(engine, "a", 0));
        AtomicInteger renewals = new AtomicInteger();
        this.stores.get(0).intercept((command, store) -> {
            if (command instanceof Command.Renew) {
                renewals.incrementAndGet();
            }
            return store.apply(command);
        });

        engine.serverChanged();

        await().untilAsserted(() -> assertThat(renewals)
                .as("renewals before their time, because the server has changed")
                .hasValue(1));
        assertThat(grant.isLive()).as("the grant is live").isTrue();
    }

    /** A lease that is shorter than the time for a reply ends a request before that. */
    @Test
    void shouldNameTheTimeInWhichTheStoreDidNotAnswer() {
        Engine engine = engine();
        CountDownLatch end = new CountDownLatch(1);
        this.stores.get(0).intercept((command, store) -> {
            awaitUninterruptibly(end);
            return store.apply(command);
        });
        Future wait = new Future("a", 300 * MILLI, new Terms(200 * MILLI, Moment.NEVER, Moment.NEVER, 0));

        engine.enter(wait, null);

        try {
            await().until(() -> wait.refusal != null);
            Refusal refusal = Objects.requireNonNull(wait.refusal);
            assertThat(refusal.failure())
                    .as("failure of a request without a reply, whose lease is shorter than the command timeout")
                    .hasMessageContaining("within 200 ms");
        } finally {
            end.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldEndThousandsOfWaitsAtTheSameTime() throws InterruptedException {
        Engine engine = engine();
        Grant held = acquire(engine, "a", 0);
        List<Future> waits = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            Future wait = new Future("a", 300 * MILLI);
            waits.add(wait);
            engine.enter(wait, null);
        }

        for (Future wait : waits) {
            wait.over.await();
        }

        assertThat(waits)
                .allMatch(wait -> wait.refusal != null && wait.refusal.cause() == Refusal.Cause.HELD_BY_OTHERS);
        assertThat(held).isNotNull();
    }

    /** The last reply has no effects: that of the release by which the candidate leaves the line. */
    @Test
    void shouldStopAsSoonAsTheLastCommandIsAnswered() throws InterruptedException {
        Grant held = acquire(engine(), "a", 0);
        Engine engine = engine(
                new Rules(TimeUnit.HOURS.toNanos(1), 1_000 * MILLI, 0, 10 * MILLI, 64, false, Integer.MAX_VALUE));
        Future waiting = new Future("a", Waiter.FOREVER);
        CountDownLatch inLine = new CountDownLatch(1);
        Thread stopping = new Thread(() -> engine.stop(Duration.ZERO));
        this.stores.get(1).intercept((command, unchanged) -> {
            while (command instanceof Command.Release && stopping.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            Reply reply = unchanged.apply(command);
            inLine.countDown();
            return reply;
        });
        engine.enter(waiting, null);
        inLine.await();

        stopping.start();

        stopping.join(TimeUnit.MINUTES.toMillis(1));
        assertThat(stopping.isAlive()).isFalse();
        assertThat(held).extracting(Grant::isLive).isEqualTo(true);
    }

    /** Its caller decides what follows. The stop takes the time that owners have. */
    @Test
    void shouldKeepTheInterruptOfAThreadThatStopsIt() throws InterruptedException {
        Engine engine = engine();
        Grant held = acquire(engine, "a", 0);
        Thread.currentThread().interrupt();

        engine.stop(Duration.ofMillis(10));

        assertThat(Thread.interrupted()).as("interrupt flag after the stop").isTrue();
        assertThat(held).as("grant after the stop").extracting(Grant::isLive).isEqualTo(false);
    }

    @Test
    void shouldEndAWaitThatIsInterruptedInItsOwnCommand() throws InterruptedException {
        Engine engine = engine();
        this.stores.get(0).intercept((command, store) -> {
            Thread.currentThread().interrupt();
            throw new LockStoreException("interrupted", null, true, true);
        });
        Throwable thrown = catchThrowable(() -> acquire(engine, "a", 0));
        this.stores.get(0).interceptNothing();

        assertThat(thrown).isInstanceOf(InterruptedException.class);
        await().untilAsserted(() -> assertThat(acquire(engine(), "a", 0)).isNotNull());
    }

    /** The thread was interrupted while it released; the store has executed the command. */
    @Test
    void shouldReleaseDespiteAnInterrupt() throws InterruptedException {
        Engine engine = engine();
        Grant grant = acquire(engine, "a", 0);
        AtomicInteger calls = new AtomicInteger();
        this.stores.get(0).intercept((command, store) -> {
            Reply reply = store.apply(command);
            if (calls.getAndIncrement() == 0) {
                Thread.currentThread().interrupt();
                throw new LockStoreException("interrupted", null, true, true);
            }
            return reply;
        });

        boolean released = grant != null && engine.release(grant);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(released).isTrue();
        assertThat(this.log.lines).noneMatch(line -> line.startsWith("lost"));
        assertThat(acquire(engine(), "a", 0)).isNotNull();
    }

    // ---- Errors

    @Test
    void shouldGoOnAfterAnErrorOfTheStore() throws InterruptedException {
        Engine engine = engine();
        for (Class<? extends Command> type : List.of(Command.Acquire.class, Command.Release.class)) {
            Thread caller = Thread.currentThread();
            this.stores.get(0).intercept((command, store) -> {
                if (type.isInstance(command) && Thread.currentThread() == caller) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return store.apply(command);
            });
            Throwable thrown = catchThrowable(() -> {
                Grant grant = acquire(engine, "a", 0);
                if (grant != null) {
                    engine.release(grant);
                }
            });
            assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
            this.stores.get(0).interceptNothing();
        }

        await().untilAsserted(() -> assertThat(acquire(engine(), "a", 0)).isNotNull());
    }

    /** A thread that executes effects is relieved, however many others append. */
    @Test
    void shouldReturnAlthoughEffectsDoNotEnd() throws InterruptedException {
        Engine engine = engine();
        Grant held = acquire(engine, "a", 0);
        AtomicInteger refused = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();

        engine.enter(new Endless(engine, refused, isOver), null);

        assertThat(engine.release(Objects.requireNonNull(acquire(engine, "b", 0))))
                .isTrue();
        int before = refused.get();
        await().until(() -> refused.get() > before + 1_000);
        isOver.set(true);
        assertThat(engine.release(Objects.requireNonNull(held))).isTrue();
        assertThat(engine.release(Objects.requireNonNull(acquire(engine, "a", 5_000 * MILLI))))
                .isTrue();
    }

    /** A single attempt that is followed by another one as soon as it is refused. */
    private static final class Endless extends Wait {

        private final Engine engine;

        private final AtomicInteger refused;

        private final AtomicBoolean isOver;

        Endless(Engine engine, AtomicInteger refused, AtomicBoolean isOver) {
            super(LockRequest.of("a"), 0, RENEWED, Owner.NONE);
            this.engine = engine;
            this.refused = refused;
            this.isOver = isOver;
        }

        @Override
        public void granted(Grant grant, Effects.Way way) {
            this.engine.change(grant, (lock, now) -> lock.giveBack(grant, now));
        }

        @Override
        public void refused(Refusal refusal) {
            this.refused.incrementAndGet();
            if (!this.isOver.get()) {
                this.engine.enter(new Endless(this.engine, this.refused, this.isOver), null);
            }
        }
    }

    /** An error in a notification neither drops it nor those behind it. */
    @Test
    void shouldRepeatANotificationThatHasFailed() throws InterruptedException {
        Engine engine = engine();
        Grant held = acquire(engine, "a", 0);
        Future next = new Future("a", Waiter.FOREVER);
        engine.enter(next, null);
        this.log.error.set(new OutOfMemoryError("unable to create native thread"));

        Throwable thrown = catchThrowable(() -> engine.release(Objects.requireNonNull(held)));

        assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
        next.over.await();
        assertThat(next.grant).isNotNull();
        assertThat(this.log.lines).hasSize(3);
    }

    @Test
    void shouldKeepAnInterruptAlthoughANotificationFails() {
        Engine engine = engine();
        this.log.error.set(new OutOfMemoryError("unable to create native thread"));
        Thread.currentThread().interrupt();

        ThreadWait wait = new ThreadWait(LockRequest.of("a"), 0, RENEWED, Owner.NONE, false);
        Throwable thrown = catchThrowable(() -> engine.acquire(wait));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
        await().until(() -> this.log.lines.size() == 2);
    }

    /**
     * The reply to the only command of a wait cannot be processed, and the first attempt to fail the lock fails as
     * well.
     */
    @Test
    void shouldRefuseWaitsOfALockThatFails() throws InterruptedException {
        AtomicInteger failures = new AtomicInteger();
        Engine engine = engine(RULES, this.log, new LeaseClock() {

            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            /** Called by inputs alone. */
            @Override
            public long currentTimeMillis() {
                if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return System.currentTimeMillis();
            }
        });
        AtomicBoolean isFirst = new AtomicBoolean(true);
        this.stores.get(0).intercept((command, unchanged) -> {
            Reply reply = unchanged.apply(command);
            failures.addAndGet(isFirst.getAndSet(false) ? 2 : 0);
            return reply;
        });
        Future wait = new Future("a", Waiter.FOREVER);

        engine.enter(wait, null);

        assertThat(wait.over.await(10, TimeUnit.SECONDS))
                .as("the wait has ended")
                .isTrue();
        Refusal refusal = Objects.requireNonNull(wait.refusal);
        assertThat(refusal.failure()).hasMessageContaining("interrupted what it did with lock 'a'");
        assertThat(refusal.mayBeGranted())
                .as("the store may have granted the lock")
                .isTrue();
        assertThat(failures).as("failures to come").hasValue(0);
        assertThat(acquire(engine, "a", 5_000 * MILLI)).as("the next grant").isNotNull();
    }

    /** Acquires and releases at every distance from the end of the stack: no name may become unusable in this JVM. */
    @Test
    void shouldGoOnAfterAnExhaustedStack() throws InterruptedException {
        Engine engine = engine();
        // Classes that are initialized on an exhausted stack stay unusable.
        Grant first = acquire(engine, "warm", 0);
        engine.release(Objects.requireNonNull(first));
        int names = 400;
        AtomicInteger overflows = new AtomicInteger();
        Thread deep = new Thread(
                null,
                () -> {
                    for (int i = 0; i < names; i++) {
                        String name = "n" + i;
                        try {
                            // Determined each time, because compiled methods need less of the stack.
                            descend(Math.max(1, depth(0) - i), () -> acquireAndRelease(engine, name));
                        } catch (StackOverflowError ex) {
                            overflows.incrementAndGet();
                        }
                    }
                },
                "deep",
                256 * 1024);
        deep.start();
        deep.join();

        assertThat(overflows).hasPositiveValue();
        for (int i = 0; i < names; i++) {
            String name = "n" + i;
            // What an overflow has left is removed by the watchdog.
            Grant grant = acquire(engine, name, 5_000 * MILLI);
            assertThat(grant).as(name).isNotNull();
            engine.release(Objects.requireNonNull(grant));
        }
        await().until(() -> engine.liveGrants() == 0);
    }

    private static void acquireAndRelease(Engine engine, String lock) {
        ThreadWait wait = waiting(lock, Waiter.FOREVER);
        try {
            if (engine.acquire(wait)) {
                Grant grant = Objects.requireNonNull(wait.grant);
                try {
                    engine.release(grant);
                } catch (StackOverflowError ex) {
                    grant.isUnclaimed = true;
                    throw ex;
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // ends with the stack
    private static int depth(int level) {
        try {
            return depth(level + 1);
        } catch (StackOverflowError ex) {
            return level;
        }
    }

    private static void descend(int levels, Runnable action) {
        if (levels == 0) {
            action.run();
        } else {
            descend(levels - 1, action);
        }
    }
}
