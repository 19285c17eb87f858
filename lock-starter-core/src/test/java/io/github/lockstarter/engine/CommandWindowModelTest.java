package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StackRoom;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** Interleavings of threads that request locks with those that bring replies: no command waits while the window has room. */
public class CommandWindowModelTest {

    private static final Terms FIXED = new Terms(60_000 * Moment.MILLI, Moment.NEVER, Moment.NEVER, 0);

    private static final Rules RULES =
            new Rules(1_000 * Moment.MILLI, 1_000 * Moment.MILLI, 2_000 * Moment.MILLI, 0, 0, false);

    private final Queue<CompletableFuture<Reply>> sent = new ConcurrentLinkedQueue<>();

    private final AtomicInteger requested = new AtomicInteger();

    private final AtomicInteger granted = new AtomicInteger();

    private final Engine engine = new Engine(
            new ForwardingStore(new InMemoryLockStore()) {

                @Override
                public CompletionStage<Reply> send(Command command) {
                    CompletableFuture<Reply> reply = new CompletableFuture<>();
                    CommandWindowModelTest.this.sent.add(reply);
                    return reply;
                }
            },
            RULES,
            new Silent(),
            LeaseClock.SYSTEM,
            new AcquisitionIds());

    /** One command is under way at a time. */
    public CommandWindowModelTest() {
        ReflectionTestUtils.setField(this.engine, "window", new CommandWindow(1));
    }

    private final class Future extends Wait {

        Future(String lock) {
            super(LockRequest.of(lock), Moment.NEVER, FIXED, Owner.NONE);
        }

        @Override
        void granted(Grant grant, Effects.Way way) {
            CommandWindowModelTest.this.granted.incrementAndGet();
        }

        @Override
        void refused(Refusal refusal) {
            throw new IllegalStateException("A request is refused: " + refusal);
        }
    }

    @Operation
    public void request() {
        this.engine.enter(new Future("lock" + this.requested.incrementAndGet()), null);
    }

    /** The store answers the first command. */
    @Operation
    public void reply() {
        CompletableFuture<Reply> first = this.sent.poll();
        if (first != null) {
            first.complete(new Reply.Granted(1));
        }
    }

    @Validate
    public void eachRequestIsGranted() {
        while (!this.sent.isEmpty()) {
            reply();
        }
        if (this.granted.get() != this.requested.get()) {
            throw new IllegalStateException("A command waits although the window has room: of " + this.requested
                    + " requests, " + this.granted + " were sent and granted.");
        }
    }

    private static final class Silent implements Engine.Observer {

        @Override
        public void granted(Wait wait, Grant grant, Effects.Way way) {}

        @Override
        public void refused(Wait wait, Refusal refusal) {}

        @Override
        public void taken(String owner) {}

        @Override
        public void messageRejected() {}

        @Override
        public String shownName(String lockName) {
            return lockName;
        }

        @Override
        public void waitsForStore(String lockName, LockStoreException cause) {}

        @Override
        public void keepHouse() {}

        @Override
        public void renewed(Grant grant, Moment sentAt) {}

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {}

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {}

        @Override
        public void recovered(Grant grant) {}

        @Override
        public void lost(Grant grant, LossReason reason) {}

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {}
    }

    @Test
    void shouldSendEachCommand() {
        new ModelCheckingOptions()
                .iterations(2)
                .invocationsPerIteration(40)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(StackRoom.class.getName())
                        .allMethods()
                        .ignore())
                .check(CommandWindowModelTest.class);
    }
}
