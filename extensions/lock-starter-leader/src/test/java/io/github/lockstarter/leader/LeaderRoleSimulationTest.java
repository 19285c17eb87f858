package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.leader.LeaderRole.State;
import io.github.lockstarter.leader.LeadershipRevokedEvent.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Histories of one role in three instances on virtual time, each from its seed: losses that are noticed late, crashes,
 * cedes, stops, and listeners and beans that fail or take too long. {@code -Dlock.leader.seeds} runs more of them, and
 * {@code -Dlock.leader.seed} repeats one.
 */
@Timeout(120)
class LeaderRoleSimulationTest {

    private static final long LEASE = 3_000;

    private static final long MARGIN = LEASE / 10;

    private static final long STOP_TIMEOUT = 1_000;

    private static final long RETRY = 200;

    private static final long CHAOS = 60_000;

    @Test
    void shouldHaveOneLeaderAndBothEventsOfEachEpoch() {
        long first = Long.getLong("lock.leader.seed", 1);
        long count = System.getProperty("lock.leader.seed") != null ? 1 : Long.getLong("lock.leader.seeds", 150);
        long epochs = 0;
        long abandoned = 0;
        for (long seed = first; seed < first + count; seed++) {
            History history = new History(seed);
            history.run();
            epochs += history.epochs;
            abandoned += history.abandonments;
        }
        // The histories must reach what they check.
        assertThat(epochs).isGreaterThan(count * 5);
        assertThat(count == 1 || abandoned > 0).isTrue();
    }

    private record Timed(long at, long order, Runnable action) {}

    /** One history: the clock, the lock in the store, and the instances. */
    private static final class History {

        final long seed;

        final Random random;

        final PriorityQueue<Timed> queue =
                new PriorityQueue<>(Comparator.comparingLong(Timed::at).thenComparingLong(Timed::order));

        final List<Instance> instances = new ArrayList<>();

        final Deque<Waiter> line = new ArrayDeque<>();

        long now;

        long order;

        long token;

        Instance holder;

        /** End of the lease in the store; counts only with a holder or after an abandonment. */
        long leaseEnd;

        long epochs;

        long abandonments;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                this.instances.add(new Instance(this, i));
            }
        }

        void run() {
            this.instances.forEach(instance -> after(this.random.nextInt(50), instance.role::start));
            after(1, this::tick);
            for (int i = 0; i < 40; i++) {
                after(this.random.nextLong(CHAOS), this::fault);
            }
            while (this.now < CHAOS) {
                step();
            }
            this.instances.forEach(Instance::heal);
            // The slowest bean, a lease, the delays, and a message for each.
            long bound = this.now + 3 * STOP_TIMEOUT + 2 * LEASE + 10 * RETRY;
            while (this.now < bound) {
                step();
            }
            assertThat(this.instances.stream().filter(Instance::believes).count())
                    .as("leaders at the end, seed %d", this.seed)
                    .isOne();
            assertThat(this.instances)
                    .as("states at the end, seed %d", this.seed)
                    .allMatch(instance -> instance.role.state() == State.LEADING
                            || instance.role.state() == State.CONTENDING
                            || instance.role.state() == State.PAUSED);
        }

        void after(long delay, Runnable action) {
            this.queue.add(new Timed(this.now + delay, this.order++, action));
        }

        private void step() {
            Timed next = this.queue.remove();
            this.now = next.at();
            next.action().run();
            long leaders = this.instances.stream().filter(Instance::believes).count();
            assertThat(leaders)
                    .as("leaders at %d, seed %d", this.now, this.seed)
                    .isLessThanOrEqualTo(1);
            // A context that waits for the role is closed then. Beginnings are interrupted in time here.
            assertThat(this.instances)
                    .as("stopped without a revocation, seed %d", this.seed)
                    .noneMatch(instance -> instance.role.isAtRest() && instance.published != 0);
        }

        /** Renews, expires and grants, every ten milliseconds. */
        private void tick() {
            if (this.now > this.leaseEnd) {
                this.holder = null;
            }
            if (this.holder == null && this.now > this.leaseEnd && !this.line.isEmpty()) {
                this.line.remove().grant();
            } else if (this.holder != null && !this.holder.isCutOff && !this.holder.isAbandoned) {
                this.leaseEnd = this.now + LEASE;
                this.holder.localEnd = this.leaseEnd - MARGIN;
            }
            this.instances.forEach(Instance::noticeLoss);
            after(10, this::tick);
        }

        private void fault() {
            Instance instance = this.instances.get(this.random.nextInt(this.instances.size()));
            switch (this.random.nextInt(6)) {
                case 0 -> instance.isCutOff = true;
                case 1 -> instance.isCutOff = false;
                case 2 -> instance.role.cede(this.random.nextBoolean() ? null : Duration.ofMillis(500));
                case 3 -> {
                    instance.role.stop();
                    after(this.random.nextLong(3_000), instance.role::start);
                }
                case 4 -> instance.slow = this.random.nextInt(4) == 0 ? 5_000 : this.random.nextInt(500);
                default -> instance.failures = this.random.nextInt(3);
            }
        }

        void released(Instance by, long epoch) {
            if (this.holder == by && epoch == this.token) {
                this.holder = null;
                this.leaseEnd = 0;
            }
        }
    }

    private record Waiter(Instance instance, long attempt) {

        void grant() {
            History history = this.instance.history;
            history.holder = this.instance;
            history.leaseEnd = history.now + LEASE;
            this.instance.granted(this.attempt, ++history.token);
        }
    }

    /** One instance: its machine, and the thread of the role. */
    private static final class Instance implements LeaderRole.Effects {

        final History history;

        final LeaderRole role;

        final Deque<Runnable> work = new ArrayDeque<>();

        boolean isCutOff;

        boolean isAbandoned;

        long localEnd;

        long epoch;

        /** How long a listener or bean takes. */
        int slow;

        /** How many beginnings fail. */
        int failures;

        boolean isBusy;

        /** The epoch whose grant was published, and not its revocation; 0 if there is none. */
        long published;

        boolean beanRuns;

        /** Grows when a running beginning is interrupted or ends. */
        long beginning;

        boolean isBeginning;

        long endedAt;

        Instance(History history, int number) {
            this.history = history;
            this.role = new LeaderRole(
                    new LeaderRole.Times(
                            Duration.ofMillis(number * 20L), Duration.ofMillis(RETRY), Duration.ofMillis(STOP_TIMEOUT)),
                    this);
        }

        boolean believes() {
            return this.role.isLeading() && this.history.now < this.localEnd;
        }

        void heal() {
            this.isCutOff = false;
            this.slow = 1;
            this.failures = 0;
            this.role.start();
        }

        void granted(long attempt, long token) {
            this.epoch = token;
            this.isAbandoned = false;
            this.localEnd = this.history.leaseEnd - MARGIN;
            if (!this.role.granted(attempt)) {
                this.history.released(this, token);
            }
        }

        /** Notices a loss late, as a thread without processor time does. */
        void noticeLoss() {
            if (this.history.now >= this.localEnd
                    && (this.role.state() == State.LEADING || this.role.state() == State.ENDING)
                    && this.history.random.nextInt(8) == 0) {
                this.role.lost();
            }
        }

        @Override
        public void schedule(Duration delay, long number) {
            this.history.after(delay.toMillis(), () -> this.role.elapsed(number));
        }

        @Override
        public void contend(long number) {
            this.history.line.add(new Waiter(this, number));
        }

        @Override
        public void withdraw() {
            // A grant may be under way: one of two waits stays in the line.
            if (this.history.random.nextBoolean()) {
                this.history.line.removeIf(waiter -> waiter.instance() == this);
            }
        }

        @Override
        public void begin() {
            long began = this.epoch;
            this.history.epochs++;
            submit(() -> {
                assertThat(this.published)
                        .as("revocation missing, seed %d", this.history.seed)
                        .isZero();
                this.published = began;
                this.beanRuns = true;
                this.isBeginning = true;
                long current = ++this.beginning;
                this.history.after(this.slow, () -> endBeginning(current));
            });
        }

        private void endBeginning(long current) {
            if (this.isBeginning && current == this.beginning) {
                this.isBeginning = false;
                boolean hasFailed = this.failures > 0;
                this.failures -= hasFailed ? 1 : 0;
                this.role.begun(hasFailed);
                assertThat(hasFailed && this.role.isLeading())
                        .as("leads after a failure, seed %d", this.history.seed)
                        .isFalse();
                done();
            }
        }

        @Override
        public void end(Reason reason) {
            this.endedAt = this.history.now;
            long ended = this.epoch;
            submit(() -> {
                assertThat(this.published)
                        .as("grant missing, seed %d", this.history.seed)
                        .isEqualTo(ended);
                this.published = 0;
                this.history.after(this.slow, () -> {
                    this.beanRuns = false;
                    this.role.ended();
                    done();
                });
            });
        }

        @Override
        public void interruptBegin() {
            if (this.isBeginning) {
                long current = this.beginning;
                this.history.after(0, () -> endBeginning(current));
            }
        }

        @Override
        public void warn(boolean isEnding) {}

        @Override
        public void abandon() {
            assertThat(this.history.now - this.endedAt)
                    .as("time before a lease is abandoned, seed %d", this.history.seed)
                    .isGreaterThanOrEqualTo(STOP_TIMEOUT);
            this.isAbandoned = true;
            this.history.abandonments++;
        }

        @Override
        public void release() {
            assertThat(this.beanRuns)
                    .as("a bean runs at a release, seed %d", this.history.seed)
                    .isFalse();
            this.history.released(this, this.epoch);
            this.history.after(this.history.random.nextInt(20), this.role::released);
        }

        private void submit(Runnable task) {
            this.work.add(task);
            if (!this.isBusy) {
                next();
            }
        }

        private void next() {
            this.isBusy = true;
            this.history.after(0, this.work.remove());
        }

        private void done() {
            this.isBusy = false;
            if (!this.work.isEmpty()) {
                next();
            }
        }
    }
}
