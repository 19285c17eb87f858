package io.github.lockstarter.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The order of effects, the command of the caller, and what an error leaves. */
class DeliveryTest {

    private static final long SECOND = 1_000 * Moment.MILLI;

    private static final Rules RULES = new Rules(SECOND, SECOND, 4 * SECOND, SECOND, 10, false, Integer.MAX_VALUE);

    private static final Terms TERMS = new Terms(30 * SECOND, 10 * SECOND, Moment.NEVER, 0);

    private final List<String> executed = new ArrayList<>();

    private final List<Sent> commands = new ArrayList<>();

    private final List<Grant> grants = new ArrayList<>();

    private final Delivery.Collected collected = new Delivery.Collected();

    private final Delivery delivery = new Delivery("orders", RULES, new Recorder(), this.collected);

    private long now = SECOND;

    /** Thrown by the next draw of an id, in the middle of an input; null: nothing. */
    private @Nullable Error error;

    private final class Recorder implements Delivery.Driver {

        private int ids;

        @Override
        public void callAt(long dueAt, boolean isHeld) {}

        @Override
        public LockStoreException failure() {
            return new LockStoreException("failed", null, true, true);
        }

        @Override
        public String id(GrantKind kind) {
            if (DeliveryTest.this.error != null) {
                throw DeliveryTest.this.error;
            }
            return kind.idOf("x." + ++this.ids);
        }

        @Override
        public long below(long bound) {
            return 0;
        }

        @Override
        public int withdraw(Acquisition acquisition) {
            int withdrawn = acquisition.waitingAttempts;
            acquisition.waitingAttempts = 0;
            return withdrawn;
        }

        @Override
        public void send(Sent sent) {
            DeliveryTest.this.executed.add(sent.command.getClass().getSimpleName() + ' ' + sent.acquisition.id);
            DeliveryTest.this.commands.add(sent);
        }

        @Override
        public void granted(Waiter waiter, Grant grant, Way way) {
            DeliveryTest.this.executed.add("granted " + waiter.request.lockName());
            DeliveryTest.this.grants.add(grant);
        }

        @Override
        public void refused(Waiter waiter, Refusal refusal) {
            DeliveryTest.this.executed.add("refused " + waiter.request.lockName());
        }

        @Override
        public void renewed(Grant grant, Moment sentAt) {
            DeliveryTest.this.executed.add("renewed " + grant.request.lockName());
        }

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {}

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {}

        @Override
        public void recovered(Grant grant) {}

        @Override
        public void releaseRequested(Grant grant) {}

        @Override
        public void lost(Grant grant, LossReason reason) {
            DeliveryTest.this.executed.add("lost " + grant.request.lockName() + ' ' + reason);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            DeliveryTest.this.executed.add("released " + grant.request.lockName());
        }
    }

    private static Waiter caller(String name) {
        return new Waiter(LockRequest.of(name), GrantKind.EXCLUSIVE, 100 * SECOND, TERMS, Owner.NONE) {};
    }

    private Moment now() {
        return new Moment(this.now, this.now / Moment.MILLI);
    }

    private @Nullable Effect input(BiConsumer<LocalLock, Moment> input) {
        return this.delivery.input(input, now(), null);
    }

    private void execute(@Nullable Effect effects) {
        for (Effect effect = effects; effect != null; effect = effect.next) {
            effect.execute(new Recorder());
        }
    }

    private void replied(Sent sent, Reply reply) {
        deliver(input((lock, moment) -> lock.replied(sent, reply, moment)));
    }

    private void deliver(@Nullable Effect effects) {
        Effect left = effects;
        while (left != null) {
            execute(left);
            left = this.delivery.next(true);
        }
    }

    private Grant hold(String name) {
        deliver(input((lock, moment) -> lock.enter(caller(name), moment)));
        replied(this.commands.get(this.commands.size() - 1), new Reply.Granted(1));
        this.executed.clear();
        return this.grants.get(0);
    }

    @Test
    void shouldLetOneCallerExecuteTheEffectsOfAllInputs() {
        Grant grant = hold("anna");
        Effect first = input((lock, moment) -> lock.enter(caller("bert"), moment));
        assertThat(first).as("effects of a waiter in memory").isNull();

        Effect release = input((lock, moment) -> lock.release(grant, moment));
        Effect late = input((lock, moment) -> lock.withdraw(new Caller("nobody"), Refusal.Cause.WITHDRAWN, moment));
        Effect stop = input((lock, moment) -> lock.stop(moment));

        assertThat(late).as("effects for another caller").isNull();
        assertThat(stop).as("effects for another caller").isNull();
        execute(release);
        assertThat(this.delivery.isIdle()).as("idle while effects wait").isFalse();
        deliver(this.delivery.next(true));
        assertThat(this.executed).first().asString().startsWith("Release");
        assertThat(this.executed).contains("refused bert").doesNotHaveDuplicates();
    }

    private static final class Caller extends Waiter {

        Caller(String name) {
            super(LockRequest.of(name), GrantKind.EXCLUSIVE, 0, TERMS, Owner.NONE);
        }
    }

    @Test
    void shouldKeepEffectsForAnotherCallerIfOneHasExecutedEnough() {
        Grant grant = hold("anna");
        Effect release = input((lock, moment) -> lock.release(grant, moment));
        Effect unused = input((lock, moment) -> lock.enter(caller("bert"), moment));
        execute(release);

        Effect more = this.delivery.next(false);

        assertThat(more).as("more effects").isNull();
        assertThat(this.delivery.isWaiting()).as("effects wait for a caller").isTrue();
        deliver(input(LocalLock::timeReached));
        assertThat(this.executed).last().asString().startsWith("Acquire");
        assertThat(this.delivery.isWaiting()).as("effects wait for a caller").isFalse();
    }

    @Test
    void shouldLeaveTheFirstFittingCommandToTheCallerOfTheInput() {
        Effect effects = this.delivery.input(
                (lock, moment) -> lock.enter(caller("anna"), moment),
                now(),
                sent -> sent.command instanceof Command.Acquire);

        Sent taken = Objects.requireNonNull(this.collected.taken);
        this.collected.taken = null;
        assertThat(effects).as("effects without the command").isNull();
        replied(taken, new Reply.Granted(1));
        assertThat(this.executed).containsExactly("granted anna");
    }

    @Test
    void shouldFailAfterAnInputThatHasNotEnded() {
        Grant grant = hold("anna");
        this.error = new OutOfMemoryError("Java heap space");
        Waiter waiter = caller("bert");
        assertThatThrownBy(() -> input((lock, moment) -> {
                    lock.enter(waiter, moment);
                    // The release opens a candidate for the waiter.
                    lock.release(grant, moment);
                }))
                .isSameAs(this.error);
        this.error = null;
        assertThat(this.delivery.mustGoOn()).as("the lock must fail").isTrue();

        deliver(input(LocalLock::timeReached));

        assertThat(this.executed).contains("refused bert");
        assertThat(this.executed).anyMatch(line -> line.equals("lost anna FAILED") || line.equals("released anna"));
        assertThat(this.delivery.mustGoOn()).as("the lock must fail again").isFalse();
    }

    /** The owner still works: its time to react is what is left of the lease in the store. */
    @Test
    void shouldReleaseALostGrantWhenItsOwnerIsDone() {
        Grant grant = hold("anna");
        this.delivery.failed();

        deliver(input(LocalLock::timeReached));
        assertThat(this.executed).containsExactly("lost anna FAILED");

        deliver(input((lock, moment) -> lock.release(grant, moment)));
        assertThat(this.executed).containsExactly("lost anna FAILED", "released anna", "Release x.1");
    }

    @Test
    void shouldReleaseALostGrantWhenItsLeaseHasEndedInTheStore() {
        Grant unused = hold("anna");
        this.delivery.failed();
        deliver(input(LocalLock::timeReached));
        this.now += 30 * SECOND - 1;
        deliver(input(LocalLock::timeReached));
        assertThat(this.executed).as("before the end of the lease").containsExactly("lost anna FAILED");

        this.now += SECOND;
        deliver(input(LocalLock::timeReached));

        assertThat(this.executed).containsExactly("lost anna FAILED", "Release x.1");
    }

    @Test
    void shouldExecuteAnEffectAgainThatHasThrown() {
        Grant grant = hold("anna");
        Effect release = Objects.requireNonNull(input((lock, moment) -> lock.release(grant, moment)));
        Effect unused = input((lock, moment) -> lock.enter(caller("bert"), moment));
        this.delivery.stalled(release);

        deliver(input(LocalLock::timeReached));

        assertThat(this.executed).hasSize(2);
        assertThat(this.executed.get(0)).startsWith("Release");
        assertThat(this.executed.get(1)).startsWith("Acquire");
    }

    /** The acquire that an error has kept back is executed when no attempt counts as open any more. */
    @Test
    void shouldEndAnIdOfWhichTheStoreHasNothing() {
        Effect acquire = input((lock, moment) -> lock.enter(caller("anna"), moment));
        this.delivery.stalled(acquire);
        this.delivery.failed();
        deliver(input(LocalLock::timeReached));
        assertThat(this.executed).containsExactly("Acquire x.1", "refused anna", "Release x.1");
        this.commands.get(0).acquisition.waitingAttempts = 1;

        replied(this.commands.get(1), new Reply.NotOwner(true));
        this.now += 40 * SECOND;
        deliver(input(LocalLock::timeReached));
        replied(this.commands.get(2), new Reply.NotOwner(true));

        assertThat(this.delivery.isIdle()).as("nothing is left of the lock").isTrue();
    }
}
