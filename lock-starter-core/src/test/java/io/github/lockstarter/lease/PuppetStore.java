package io.github.lockstarter.lease;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A store in memory, in whose calls a test can intervene. */
public final class PuppetStore implements LockStore {

    /** Stands in the place of a call; may make it, before, after or not at all. */
    @FunctionalInterface
    public interface Intervention<T> {
        T instead(Call<T> real) throws InterruptedException;
    }

    /** The real thing. */
    @FunctionalInterface
    public interface Call<T> {
        T make();
    }

    /** Stands in the place of a renewal. */
    @FunctionalInterface
    public interface RenewalIntervention {
        void instead(List<? extends Renewal> renewals, Runnable real) throws InterruptedException;
    }

    /** One call that came in. */
    public record Received(String operation, String acquisitionId, long lastToken, Successor successor) {}

    private final InMemoryLockStore store = new InMemoryLockStore();

    private final Queue<Received> received = new ConcurrentLinkedQueue<>();

    private final Map<WaitingListener, WaitingListener> listeners = new ConcurrentHashMap<>();

    private final AtomicInteger renewals = new AtomicInteger();

    private final AtomicInteger waits = new AtomicInteger();

    private volatile Intervention<AcquireReply> onAcquire = Call::make;

    private volatile Intervention<ReleaseReply> onRelease = Call::make;

    private volatile Intervention<ReleaseReply> onKeep = Call::make;

    private volatile Intervention<Boolean> onIsLocked = Call::make;

    private volatile Function<LockHolder, CompletionStage<?>> onPublishInstance;

    private volatile Function<String, CompletionStage<Optional<LockHolder>>> onFindInstance = this.store::findInstance;

    private volatile RenewalIntervention onRenew = (renewals, real) -> real.run();

    private volatile CompletableFuture<Void> answers = CompletableFuture.completedFuture(null);

    private volatile boolean muted;

    private volatile boolean asynchronous;

    public void onAcquire(Intervention<AcquireReply> intervention) {
        this.onAcquire = intervention;
    }

    public void onRelease(Intervention<ReleaseReply> intervention) {
        this.onRelease = intervention;
    }

    public void onKeep(Intervention<ReleaseReply> intervention) {
        this.onKeep = intervention;
    }

    public void onIsLocked(Intervention<Boolean> intervention) {
        this.onIsLocked = intervention;
    }

    public void onPublishInstance(Function<LockHolder, CompletionStage<?>> instead) {
        this.onPublishInstance = instead;
    }

    /** Null stands for a store that keeps no descriptions. */
    public void onFindInstance(Function<String, CompletionStage<Optional<LockHolder>>> instead) {
        this.onFindInstance = instead;
    }

    public void onRenew(RenewalIntervention intervention) {
        this.onRenew = intervention;
    }

    /** Acquires need not be waited for from now on. */
    public void acquireAsynchronously() {
        this.asynchronous = true;
    }

    /** Answers to acquires and releases that nobody waits for come when that is complete. */
    public void answerLater(CompletableFuture<Void> signal) {
        this.answers = signal;
    }

    /** No message is heard from now on, but those that the test makes up. */
    public void mute() {
        this.muted = true;
    }

    /** The message that the lock was handed to this instance. */
    public void sayHandedOver(String lockName) {
        this.listeners.keySet().forEach(listener -> listener.handedOver(lockName));
    }

    /** Some messages may be lost. */
    public void sayMissedSome() {
        this.listeners.keySet().forEach(WaitingListener::missedSome);
    }

    /** All acquires and releases, in the order in which they came in. */
    public List<Received> received() {
        return List.copyOf(this.received);
    }

    /** Ids of all acquires, in the order in which they came in. */
    public List<String> acquisitionIds() {
        return received("acquire").stream().map(Received::acquisitionId).toList();
    }

    public List<Received> received(String operation) {
        return this.received.stream()
                .filter(call -> call.operation().equals(operation))
                .toList();
    }

    /** Calls of {@link #renew} that came in. */
    public int renewals() {
        return this.renewals.get();
    }

    /** Calls of {@link #release} that came in. */
    public int releases() {
        return received("release").size();
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        this.received.add(new Received("acquire", acquisitionId, 0, null));
        return instead(this.onAcquire, () -> this.store.acquire(lockName, acquisitionId, leaseMillis, join));
    }

    @Override
    public CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return this.asynchronous ? later(() -> acquire(lockName, acquisitionId, leaseMillis, join)) : null;
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.renewals.incrementAndGet();
        try {
            this.onRenew.instead(renewals, () -> this.store.renew(renewals));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public int renewalBatchSize() {
        return this.store.renewalBatchSize();
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, Successor successor) {
        this.received.add(new Received("release", acquisitionId, lastToken, successor));
        return instead(this.onRelease, () -> this.store.release(lockName, acquisitionId, lastToken, successor));
    }

    @Override
    public CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, Successor successor) {
        return later(() -> release(lockName, acquisitionId, lastToken, successor));
    }

    private <T> CompletionStage<T> later(Call<T> call) {
        CompletionStage<T> reply;
        try {
            reply = CompletableFuture.completedStage(call.make());
        } catch (RuntimeException ex) {
            reply = CompletableFuture.failedStage(ex);
        }
        CompletionStage<T> answer = reply;
        return this.answers.thenCompose(unused -> answer);
    }

    private static <T> T instead(Intervention<T> intervention, Call<T> real) {
        try {
            return intervention.instead(real);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        return instead(this.onKeep, () -> this.store.keep(lockName, acquisitionId, keepMillis));
    }

    @Override
    public boolean isLocked(String lockName) {
        return instead(this.onIsLocked, () -> this.store.isLocked(lockName));
    }

    @Override
    public CompletionStage<?> publishInstance(LockHolder instance, long ttlMillis) {
        Function<LockHolder, CompletionStage<?>> instead = this.onPublishInstance;
        return instead != null ? instead.apply(instance) : this.store.publishInstance(instance, ttlMillis);
    }

    @Override
    public CompletionStage<Optional<LockHolder>> findInstance(String instance) {
        return this.onFindInstance.apply(instance);
    }

    @Override
    public boolean forceRelease(String lockName) {
        return this.store.forceRelease(lockName);
    }

    @Override
    public boolean forceReleaseReaders(String lockName) {
        return this.store.forceReleaseReaders(lockName);
    }

    @Override
    public void prepareWaiting() {
        this.waits.incrementAndGet();
        this.store.prepareWaiting();
    }

    /** How often a waiter has concluded an answer and begun to wait for a message. */
    public int waits() {
        return this.waits.get();
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        WaitingListener muteable = new WaitingListener() {
            @Override
            public void handedOver(String lockName) {
                if (!PuppetStore.this.muted) {
                    listener.handedOver(lockName);
                }
            }

            @Override
            public void missedSome() {
                listener.missedSome();
            }
        };
        this.listeners.put(listener, muteable);
        this.store.start(instanceId, muteable);
    }

    @Override
    public void stop(WaitingListener listener) {
        this.store.stop(this.listeners.remove(listener));
    }

    @Override
    public String description() {
        return "puppet";
    }
}
