package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands a private lock over again and again, so that the JVM compiles what a hand-over from another JVM executes:
 * otherwise the interpreter takes two thirds of the time of the first some hundred hand-overs. The other JVM is
 * represented by the two commands that it would send. All else is real: the connections of the engine, its inbox, the
 * message, the state machine, and a thread that waits.
 *
 * <p>The lock belongs to an engine of its own that shares the store, so that it appears neither in events and meters
 * nor among the locks of the application. Its key has a lease, and a random part of its own.
 */
public final class WarmUp {

    private static final String NAME = "lock-starter-warm-up";

    private static final long LEASE = TimeUnit.SECONDS.toNanos(10);

    private static final Terms TERMS = new Terms(LEASE, Moment.NEVER, Moment.NEVER, 0);

    /** Nanoseconds after which it ends in any case, for example because a lock of the application is always awaited. */
    private static final long LIMIT = TimeUnit.MINUTES.toNanos(1);

    private final Engine host;

    private final Engine engine;

    /** The ids of the owner that stands for another JVM. */
    private final AcquisitionIds others = new AcquisitionIds();

    private final LockRequest request =
            LockRequest.of(NAME, this.others.instance()).withMaxWaiters(1);

    /**
     * Creates a warm-up over the store of an engine that is started.
     *
     * @param host no lock is handed over while one of its locks is awaited
     */
    public WarmUp(Engine host) {
        this.host = host;
        this.engine = new Engine(host, new Unobserved());
    }

    /**
     * Executes the hand-overs on the calling thread. Ends earlier if the host is stopped, if the store has no messages,
     * or after a minute.
     *
     * @param pause time before each hand-over, about
     * @return the number of hand-overs
     * @throws InterruptedException if the thread is interrupted, which ends the warm-up immediately
     * @throws LockStoreException if the store fails
     */
    public int handOver(int handOvers, Duration pause) throws InterruptedException {
        int done = 0;
        long began = System.nanoTime();
        this.engine.start();
        try {
            while (done < handOvers && hasMessages() && !this.host.isStopped() && System.nanoTime() - began < LIMIT) {
                park(pause.toNanos());
                if (!isAwaited() && handOver()) {
                    done++;
                }
            }
            return done;
        } finally {
            this.engine.stop(Duration.ZERO);
        }
    }

    private boolean hasMessages() {
        MessageStatus messages = this.host.store.messages();
        return messages != null && !messages.mode().equals("polling");
    }

    private boolean isAwaited() {
        boolean[] isAwaited = new boolean[1];
        this.host.forEachWait(null, wait -> isAwaited[0] = true);
        return isAwaited[0];
    }

    /** Returns whether the lock was handed over. */
    private boolean handOver() throws InterruptedException {
        String name = this.request.lockName();
        String other = this.others.next();
        Reply reply = this.host.store.call(new Command.Acquire(name, other, LEASE / Moment.MILLI, false));
        ThreadWait wait = new ThreadWait(this.request, LEASE, TERMS, Owner.NONE, true);
        this.engine.enter(wait, wait);
        CompletionStage<Reply> unused = this.host.store.send(new Command.Release(name, other, 0, 0, null));
        while (!wait.isOver()) {
            park(LEASE);
        }
        Grant grant = wait.grant;
        return grant != null && this.engine.release(grant) && reply instanceof Reply.Granted;
    }

    private static void park(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private static final class Unobserved implements Engine.Observer {

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
        public void releaseRequested(Grant grant) {}

        @Override
        public void lost(Grant grant, LossReason reason) {}

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {}
    }
}
