package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.confirm.ReplicaConfirmation;
import io.github.lockstarter.store.redis.connection.OptionalCommands;
import io.github.lockstarter.store.redis.connection.PrivateConnection;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.connection.StoreConnections;
import io.github.lockstarter.store.redis.connection.WireFormat;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LoggedNames;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Stores locks in Redis 6.2 or newer, or in Valkey: standalone, Sentinel or Cluster. Thread-safe, except that {@link
 * #start} and {@link #stop} must not run at the same time.
 *
 * <p>Mutual exclusion is not guaranteed over an asynchronous failover, an eviction, a flush or a step of the server's
 * clock.
 *
 * @see <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
public final class RedisLockStore implements LockStore {

    /*
     * Implementation note.
     *
     * Data. A lock is one hash under prefix:{name}: o is the id of the owning acquisition, f its fencing token; lock.lua
     * describes the waiting line and shared use. The key's time to live is the lease. Invariants, checked with TLC:
     *   - a lock is owned if and only if its key exists with a field o;
     *   - a key with a field o always has a time to live (a script sets both, or removes the key again);
     *   - tokens of a lock grow: a token is at least the server's time in microseconds, and larger than the one before it
     *     while the key exists. Microseconds stay below 2^53, so Lua computes with them exactly;
     *   - an acquisition id owns or waits at most once, and is never used again after its release.
     *
     * Atomicity and repetition. Each change is one script, because the decision and the write must be one step. Clients
     * and callers repeat calls whose reply was lost, so each script has the same effect when it is executed twice with
     * the same acquisition id. Its late execution is harmless as well:
     *   - a late acquire grants a lock that no caller uses: the caller releases the id when the outcome is unknown;
     *   - a late renewal compares the owner, and so cannot extend the lease of the next one;
     *   - a late release compares the owner, and so cannot release the lock of the next one;
     *   - a late command for an id whose lock is kept for a minimum hold matches nothing, because the owner is ~k<id> then.
     * If a connection breaks during a release and the reply is "not owned", the first of two executions may have
     * released: this is UNPROVEN, found by comparing disconnects() before and after the call.
     *
     * Waiting. An acquire that joins the line names the inbox of this instance, and release.lua grants the lock to the
     * first in line and publishes key, id and token there. The grant has a short lease, claimMillis, until the waiter
     * renews it, or asks again under its id if the message proves too little. A waiter also polls. Three races matter:
     *   - a waiter may join only when its subscription is acknowledged or known to fail, or it could miss its message;
     *   - after a reconnection of the subscription, messages may be missing: missedSome() makes all waiters check;
     *   - without receivers the instance of a waiter is gone, and release.lua skips it. Only a single server counts all
     *     receivers, so countsAllReceivers() is passed to the script.
     *
     * Threads. Any thread may call any method. Blocking methods return within one command timeout and never wait for a
     * connection; methods whose names end in Later never block, and complete on an event loop of the private connection,
     * which must not be blocked. Listeners are called on threads of Lettuce and on the background threads of connection and subscription.
     *
     * Format. The scripts of two formats would misread the same key, so format() decides whether locks may be acquired; its
     * version is read with each connection. Without it a release names no successor, or the waiters of this JVM would
     * pass a lock on for ever. Everything else goes on, so that leases end in order.
     *
     * Units. leaseMillis, keepMillis, claimMillis: milliseconds. Fencing tokens: microseconds of the server's clock, 0
     * for none. Deadlines inside of this package: nanoseconds of System.nanoTime(). Counts of disconnects: only
     * equality matters.
     *
     * Cost. An uncontended acquire is one EVALSHA through StringRedisTemplate, two frames from here to the template.
     *
     * Sources: Kleppmann, "How to do distributed locking" (fencing tokens); Redis documentation, "Distributed locks with
     * Redis" and "EVAL"; Redisson's LockPubSub (notification by channel); MCS locks (hand-over to the first in line).
     */

    /** An argument of {@code inspect.lua}: a lock may have thousands of holders. */
    private static final String ONLY_WHETHER_OWNED = "1";

    private final LockKeys keys;

    private final StoreConnection connection;

    private final WireFormat format;

    private final LockCommands commands;

    private final GrantChanges changes;

    private final ScriptArguments arguments;

    private final RenewalSender renewals;

    /** Null if no replica must acknowledge a grant. */
    private final @Nullable ReplicaConfirmation confirmation;

    /** Null if instances are not published. */
    private final @Nullable InstanceDescriptions instances;

    /** Milliseconds in which a waiter must claim a grant from the line: twice the poll interval. */
    private final long claimMillis;

    /** Null unless started. */
    private volatile @Nullable NotificationSubscription subscription;

    /**
     * Creates a store; {@link #start} connects it.
     *
     * @param factory the application's connection factory, which is neither changed nor closed
     */
    public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
        this.keys = new LockKeys(settings.keyPrefix(), LoggedNames.withKeys(settings.logKeys()));
        this.connection = StoreConnections.over(
                factory,
                this.keys,
                settings.commandTimeout(),
                settings.privateConnection(),
                new OptionalCommands(settings.publishInstance(), settings.confirmReplicas()));
        this.format = this.connection.format();
        this.commands = new LockCommands(this.keys, this.connection);
        this.changes = new GrantChanges(this.commands, this.connection);
        this.renewals = new RenewalSender(this.keys, this.connection);
        this.confirmation = settings.confirmReplicas() > 0
                ? new ReplicaConfirmation(
                        (PrivateConnection) this.connection,
                        this.keys,
                        settings.commandTimeout(),
                        settings.confirmReplicas())
                : null;
        this.claimMillis = 2 * settings.pollInterval().toMillis();
        this.arguments = new ScriptArguments(this.connection, this.claimMillis);
        this.instances = settings.publishInstance() ? new InstanceDescriptions(this.keys, this.connection) : null;
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        if (!this.format.isSupported()) {
            throw this.format.refusal(lockName);
        }
        long startedAt = this.confirmation != null ? System.nanoTime() : 0;
        AcquireReply reply = AcquireReplyCodes.toReply(this.commands.execute(
                lockName,
                LuaScript.ACQUIRE,
                this.arguments.ofAcquire(acquisitionId, leaseMillis, join ? this.subscription : null)));
        return this.confirmation != null
                ? this.confirmation.await(reply, lockName, acquisitionId, leaseMillis, startedAt)
                : reply;
    }

    @Override
    public @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        if (!this.format.isSupported()) {
            return CompletableFuture.failedStage(this.format.refusal(lockName));
        }
        CompletionStage<AcquireReply> reply = this.commands.send(
                lockName,
                LuaScript.ACQUIRE,
                this.arguments.ofAcquire(acquisitionId, leaseMillis, join ? this.subscription : null),
                AcquireReplyCodes::toReply);
        return reply != null && this.confirmation != null
                ? this.confirmation.later(reply, lockName, acquisitionId, leaseMillis)
                : reply;
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long disconnects = this.connection.disconnects();
        String[] arguments = ofRelease(acquisitionId, lastToken, successor);
        long result = successor != null
                ? this.commands.executeDirectly(lockName, LuaScript.RELEASE, arguments)
                : this.commands.execute(lockName, LuaScript.RELEASE, arguments);
        return toReleaseReply(result, disconnects);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long disconnects = this.connection.disconnects();
        return this.commands.send(
                lockName,
                LuaScript.RELEASE,
                ofRelease(acquisitionId, lastToken, successor),
                result -> toReleaseReply(result, disconnects));
    }

    private String[] ofRelease(String acquisitionId, long lastToken, @Nullable Successor successor) {
        Successor accepted = successor != null && this.format.isSupported() ? successor : null;
        return this.arguments.ofRelease(acquisitionId, lastToken, accepted, this.subscription);
    }

    private ReleaseReply toReleaseReply(long result, long disconnectsBefore) {
        ReleaseReply reply = ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnectsBefore);
        return this.confirmation != null ? reply.unconfirmed() : reply;
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        if (this.confirmation != null) {
            this.confirmation.renew(renewals);
        } else {
            this.renewals.renew(renewals);
        }
    }

    @Override
    public boolean renewLater(Renewal renewal) {
        return this.confirmation != null ? this.confirmation.renewLater(renewal) : this.renewals.renewLater(renewal);
    }

    @Override
    public int renewalBatchSize() {
        return this.connection.isPrivate() ? RenewalSender.LARGEST_BATCH : 1;
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        return this.changes.keep(lockName, acquisitionId, keepMillis);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        return this.changes.keepLater(lockName, acquisitionId, keepMillis);
    }

    @Override
    public ReleaseReply downgrade(String lockName, String acquisitionId, long lastToken, long leaseMillis) {
        ReleaseReply reply = this.changes.downgrade(lockName, acquisitionId, lastToken, leaseMillis);
        return this.confirmation != null ? reply.unconfirmed() : reply;
    }

    @Override
    public boolean isLocked(String lockName) {
        return !this.commands
                .execute(lockName, LuaScript.INSPECT, ONLY_WHETHER_OWNED)
                .isEmpty();
    }

    @Override
    public @Nullable CompletionStage<Boolean> isLockedLater(String lockName) {
        return this.commands.send(
                lockName, LuaScript.INSPECT, new String[] {ONLY_WHETHER_OWNED}, reply -> !reply.isEmpty());
    }

    @Override
    public @Nullable StoredLock find(String lockName) {
        return InspectReply.of(this.commands.execute(lockName, LuaScript.INSPECT));
    }

    @Override
    public @Nullable CompletionStage<?> publishInstance(LockHolder instance, long ttlMillis) {
        return this.instances != null ? this.instances.publish(instance, ttlMillis) : null;
    }

    @Override
    public @Nullable CompletionStage<Optional<LockHolder>> findInstance(String instance) {
        return this.instances != null ? this.instances.find(instance) : null;
    }

    @Override
    public boolean forceRelease(String lockName) {
        List<String> owners = InspectReply.owners(this.commands.execute(lockName, LuaScript.INSPECT));
        return GrantChanges.releaseAll(owners, owner -> release(lockName, owner, 0, null));
    }

    @Override
    public boolean forceReleaseReaders(String lockName) {
        List<String> readers = InspectReply.readers(this.commands.execute(lockName, LuaScript.INSPECT));
        return GrantChanges.releaseAll(readers, reader -> release(lockName, reader, 0, null));
    }

    @Override
    public long claimMillis() {
        // A grant is believed only after its confirmation, which the acquire does that follows the message.
        return this.confirmation != null ? 0 : this.claimMillis;
    }

    @Override
    public void prepareWaiting() {
        NotificationSubscription current = this.subscription;
        if (current != null) {
            current.subscribe();
        }
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        NotificationSubscription created = new NotificationSubscription(this.keys, instanceId, listener);
        this.subscription = created;
        this.connection.start(this.confirmation != null ? this.confirmation.start(created) : created);
    }

    @Override
    public void stop(WaitingListener listener) {
        NotificationSubscription current = this.subscription;
        this.subscription = null;
        if (current != null) {
            current.stop();
        }
        if (this.confirmation != null) {
            this.confirmation.stop();
        }
        this.connection.stop();
    }

    @Override
    public boolean isConnected() {
        return this.connection.isConnected();
    }

    @Override
    public String description() {
        return this.connection.description() + ", key prefix " + this.keys.prefix();
    }
}
