package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.connection.DerivedFactory;
import io.github.lockstarter.store.redis.connection.PrivateConnection;
import io.github.lockstarter.store.redis.connection.SharedConnection;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LoggedNames;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

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
     * Data. A lock is one hash under prefix:{name}: o is the id of the owning acquisition, f its fencing token, q the
     * waiting line. The key's time to live is the lease. Invariants, which spec/ checks with TLC:
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
     * Waiting. An acquire that joins the line names the channel of this instance, and release.lua grants the lock to
     * the first in line and publishes its name there. The grant has a short lease, claimMillis, until the waiter
     * confirms it with another acquire under its id. Messages are hints: a waiter also polls. Three races matter:
     *   - a waiter may join only when its subscription is acknowledged or known to fail, or it could miss its message;
     *   - after a reconnection of the subscription, messages may be missing: missedSome() makes all waiters check;
     *   - without receivers the instance of a waiter is gone, and release.lua skips it. Only a single server counts all
     *     receivers, so countsAllReceivers() is passed to the script.
     *
     * Threads. Any thread may call any method. Blocking methods return within one command timeout and never wait for a
     * connection; methods whose names end in Later never block, and complete on a thread of Lettuce, which must not be
     * blocked. Listeners are called on threads of Lettuce and on the background threads of connection and subscription.
     *
     * Units. leaseMillis, keepMillis, claimMillis: milliseconds. Fencing tokens: microseconds of the server's clock, 0
     * for none. Deadlines inside of this package: nanoseconds of System.nanoTime(). Counts of disconnects: only
     * equality matters.
     *
     * Cost. An uncontended acquire is one EVALSHA through StringRedisTemplate, two frames from here to the template.
     *
     * Sources: Kleppmann, "How to do distributed locking" (fencing tokens); Redis documentation, "Distributed locks
     * with Redis" and "EVAL"; Redisson's LockPubSub (notification by channel); MCS locks (hand-over to the first in
     * line).
     */

    /** Result of {@code PTTL} for a key that does not exist. */
    private static final long NO_KEY = -2;

    private final LockKeys keys;

    private final String keyPrefix;

    private final StoreConnection connection;

    private final LockCommands commands;

    private final RenewalSender renewals;

    /** Milliseconds in which a waiter must claim a grant from the line: twice the poll interval. */
    private final String claimMillis;

    /** Null unless started. */
    private volatile @Nullable NotificationSubscription subscription;

    /**
     * Creates a store; {@link #start} connects it.
     *
     * @param factory the application's connection factory, which is neither changed nor closed
     */
    public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
        this.keyPrefix = settings.keyPrefix();
        this.keys = new LockKeys(settings.keyPrefix(), LoggedNames.withKeys(settings.logKeys()));
        this.connection = connectionOver(factory, this.keys, settings);
        this.commands = new LockCommands(this.keys, this.connection);
        this.renewals = new RenewalSender(this.keys, this.connection);
        this.claimMillis = Long.toString(2 * settings.pollInterval().toMillis());
    }

    private static StoreConnection connectionOver(
            RedisConnectionFactory factory, LockKeys keys, RedisStoreSettings settings) {
        boolean lettuce = ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisLockStore.class.getClassLoader());
        if (!settings.privateConnection()) {
            return new SharedConnection(factory, keys, settings.commandTimeout(), true, lettuce);
        }
        DerivedFactory recipe = lettuce ? DerivedFactory.of(factory, settings.commandTimeout()) : null;
        return recipe != null
                ? new PrivateConnection(recipe, keys, settings.commandTimeout())
                : new SharedConnection(factory, keys, settings.commandTimeout(), false, lettuce);
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return toReply(
                this.commands.execute(lockName, LuaScript.ACQUIRE, acquireArguments(acquisitionId, leaseMillis, join)));
    }

    @Override
    public @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return this.commands.send(
                lockName,
                LuaScript.ACQUIRE,
                acquireArguments(acquisitionId, leaseMillis, join),
                RedisLockStore::toReply);
    }

    private static AcquireReply toReply(long result) {
        return result > 0 ? new AcquireReply.Granted(result) : new AcquireReply.Taken(-result);
    }

    private String[] acquireArguments(String acquisitionId, long leaseMillis, boolean join) {
        NotificationSubscription current = this.subscription;
        // A waiter whose subscription is still being set up could miss its message, and so does not join the line yet.
        return join && current != null && current.state() != NotificationSubscription.State.PENDING
                ? new String[] {acquisitionId, Long.toString(leaseMillis), this.claimMillis, subscribedInstance()}
                : new String[] {acquisitionId, Long.toString(leaseMillis)};
    }

    /** Returns the id under which this instance receives messages; empty if it receives none and polls. */
    private String subscribedInstance() {
        NotificationSubscription current = this.subscription;
        return current != null && current.state() == NotificationSubscription.State.SUBSCRIBED
                ? current.instance()
                : "";
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long disconnects = this.connection.disconnects();
        String[] arguments = releaseArguments(acquisitionId, lastToken, successor);
        long result = successor != null
                ? this.commands.executeDirectly(lockName, LuaScript.RELEASE, arguments)
                : this.commands.execute(lockName, LuaScript.RELEASE, arguments);
        return ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnects);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long disconnects = this.connection.disconnects();
        return this.commands.send(
                lockName,
                LuaScript.RELEASE,
                releaseArguments(acquisitionId, lastToken, successor),
                result -> ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnects));
    }

    private String[] releaseArguments(String acquisitionId, long lastToken, @Nullable Successor successor) {
        String countsAllReceivers = this.connection.countsAllReceivers() ? "1" : "0";
        return successor == null
                ? new String[] {acquisitionId, Long.toString(lastToken), this.keys.channelPrefix(), countsAllReceivers}
                : new String[] {
                    acquisitionId,
                    Long.toString(lastToken),
                    this.keys.channelPrefix(),
                    countsAllReceivers,
                    successor.acquisitionId(),
                    Long.toString(successor.leaseMillis()),
                    this.claimMillis,
                    subscribedInstance()
                };
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.renewals.renew(renewals);
    }

    @Override
    public int renewalBatchSize() {
        return this.connection.isPrivate() ? RenewalSender.LARGEST_BATCH : 1;
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        long disconnects = this.connection.disconnects();
        long result = this.commands.execute(lockName, LuaScript.KEEP, acquisitionId, Long.toString(keepMillis));
        return ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnects);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        long disconnects = this.connection.disconnects();
        return this.commands.send(
                lockName,
                LuaScript.KEEP,
                new String[] {acquisitionId, Long.toString(keepMillis)},
                result -> ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnects));
    }

    @Override
    public boolean isLocked(String lockName) {
        String key = this.keys.keyOf(lockName);
        return this.commands.query(lockName, redis -> redis.opsForHash().hasKey(key, LockKeys.OWNER));
    }

    @Override
    public @Nullable CompletionStage<Boolean> isLockedLater(String lockName) {
        return this.commands.sendIsLocked(lockName);
    }

    @Override
    public @Nullable StoredLock find(String lockName) {
        String key = this.keys.keyOf(lockName);
        Optional<Object> token = this.commands.query(
                lockName, redis -> Optional.ofNullable(redis.opsForHash().get(key, LockKeys.FENCING_TOKEN)));
        // A second command: the lock may have been released since the first one.
        long millis = token.isEmpty()
                ? NO_KEY
                : this.commands.query(lockName, redis -> redis.getExpire(key, TimeUnit.MILLISECONDS));
        return millis == NO_KEY
                ? null
                : new StoredLock(Long.parseLong(token.orElseThrow().toString()), millis);
    }

    @Override
    public boolean forceRelease(String lockName) {
        // Names the owner that was read, because a repetition by the client must not release the lock of the next one.
        String key = this.keys.keyOf(lockName);
        String owner = this.commands.query(lockName, redis -> {
            Object id = redis.opsForHash().get(key, LockKeys.OWNER);
            return id != null ? id.toString() : "";
        });
        if (owner.isEmpty()) {
            return false;
        }
        ReleaseReply reply = release(lockName, owner, 0, null);
        return reply.isReleased() || reply.outcome() == ReleaseReply.Outcome.UNPROVEN;
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
        this.connection.start(created);
    }

    @Override
    public void stop(WaitingListener listener) {
        NotificationSubscription current = this.subscription;
        this.subscription = null;
        if (current != null) {
            current.stop();
        }
        this.connection.stop();
    }

    @Override
    public boolean isConnected() {
        return this.connection.isConnected();
    }

    @Override
    public String description() {
        return this.connection.description() + ", key prefix " + this.keyPrefix;
    }
}
