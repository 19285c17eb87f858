package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.text.LoggedNames;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Locks in Redis 6.2 or newer, or in Valkey: standalone, Sentinel or Cluster. One hash per lock, one script per
 * step; the scripts say what each of them promises.
 *
 * <p>Not promised: exclusion over an asynchronous failover, an eviction, a flush or a step of the server's clock.
 *
 * @see <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
public final class RedisLockStore implements LockStore {

    /** What Redis says is left of a key that is not there. */
    private static final long GONE = -2;

    /** Field of the lock's hash that is there if and only if the lock is owned, see acquire.lua. */
    static final String OWNER = "o";

    private final LockKeys keys;

    private final String keyPrefix;

    private final RedisLink link;

    private final LockCalls calls;

    private final Renewals renewals;

    /** A grant from the line waits twice the poll interval for its claim. */
    private final String claimMillis;

    private volatile @Nullable Inbox inbox;

    /**
     * Creates a store; it connects when it is started.
     *
     * @param factory the application's connection factory; it is never changed and never closed
     */
    public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
        this.keyPrefix = settings.keyPrefix();
        this.keys = new LockKeys(settings.keyPrefix(), LoggedNames.withKeys(settings.logKeys()));
        this.link = linkOver(factory, this.keys, settings);
        this.calls = new LockCalls(this.keys, this.link);
        this.renewals = new Renewals(this.keys, this.link);
        this.claimMillis = Long.toString(2 * settings.pollInterval().toMillis());
    }

    private static RedisLink linkOver(RedisConnectionFactory factory, LockKeys keys, RedisStoreSettings settings) {
        boolean lettuce = ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisLockStore.class.getClassLoader());
        if (!settings.privateConnection()) {
            return new SharedLink(factory, keys, settings.commandTimeout(), true, lettuce);
        }
        DerivedFactory recipe = lettuce ? DerivedFactory.of(factory, settings.commandTimeout()) : null;
        return recipe != null
                ? new PrivateLink(recipe, keys, settings.commandTimeout())
                : new SharedLink(factory, keys, settings.commandTimeout(), false, lettuce);
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return reply(
                this.calls.execute(lockName, LuaScript.ACQUIRE, acquireArguments(acquisitionId, leaseMillis, join)));
    }

    @Override
    public @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return this.calls.send(
                lockName, LuaScript.ACQUIRE, acquireArguments(acquisitionId, leaseMillis, join), RedisLockStore::reply);
    }

    private static AcquireReply reply(long answer) {
        return answer > 0 ? new AcquireReply.Granted(answer) : new AcquireReply.Taken(-answer);
    }

    private String[] acquireArguments(String acquisitionId, long leaseMillis, boolean join) {
        Inbox current = this.inbox;
        // Only who would hear of a grant, or knows that it must poll, may join the line.
        return join && current != null && current.state() != Inbox.State.NOT_YET
                ? new String[] {acquisitionId, Long.toString(leaseMillis), this.claimMillis, address()}
                : new String[] {acquisitionId, Long.toString(leaseMillis)};
    }

    /** The inbox that a waiter of ours hears; empty: none, it polls. */
    private String address() {
        Inbox current = this.inbox;
        return current != null && current.state() == Inbox.State.READY ? current.instance() : "";
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long breaks = this.link.breaks();
        String[] arguments = releaseArguments(acquisitionId, lastToken, successor);
        long reply = successor != null
                ? this.calls.executeDirectly(lockName, LuaScript.RELEASE, arguments)
                : this.calls.execute(lockName, LuaScript.RELEASE, arguments);
        return ReleaseAnswers.meaning(reply, this.link.breaks() != breaks);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        long breaks = this.link.breaks();
        return this.calls.send(
                lockName,
                LuaScript.RELEASE,
                releaseArguments(acquisitionId, lastToken, successor),
                code -> ReleaseAnswers.meaning(code, this.link.breaks() != breaks));
    }

    private String[] releaseArguments(String acquisitionId, long lastToken, @Nullable Successor successor) {
        String receiversCount = this.link.countsReceivers() ? "1" : "0";
        return successor == null
                ? new String[] {acquisitionId, Long.toString(lastToken), this.keys.inboxes(), receiversCount}
                : new String[] {
                    acquisitionId,
                    Long.toString(lastToken),
                    this.keys.inboxes(),
                    receiversCount,
                    successor.acquisitionId(),
                    Long.toString(successor.leaseMillis()),
                    this.claimMillis,
                    address()
                };
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        this.renewals.renew(renewals);
    }

    @Override
    public int renewalBatchSize() {
        return this.link.isPrivate() ? Renewals.MOST : 1;
    }

    @Override
    public ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        long breaks = this.link.breaks();
        long reply = this.calls.execute(lockName, LuaScript.KEEP, acquisitionId, Long.toString(keepMillis));
        return ReleaseAnswers.meaning(reply, this.link.breaks() != breaks);
    }

    @Override
    public @Nullable CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        long breaks = this.link.breaks();
        return this.calls.send(
                lockName,
                LuaScript.KEEP,
                new String[] {acquisitionId, Long.toString(keepMillis)},
                code -> ReleaseAnswers.meaning(code, this.link.breaks() != breaks));
    }

    @Override
    public boolean isLocked(String lockName) {
        return this.calls.query(lockName, redis -> redis.opsForHash().hasKey(this.keys.keyOf(lockName), OWNER));
    }

    @Override
    public @Nullable CompletionStage<Boolean> isLockedLater(String lockName) {
        return this.calls.sendIsLocked(lockName);
    }

    @Override
    public @Nullable StoredLock find(String lockName) {
        String key = this.keys.keyOf(lockName);
        // Two commands: it may end in between.
        Optional<Object> token = this.calls.query(
                lockName, redis -> Optional.ofNullable(redis.opsForHash().get(key, "f")));
        long millis = token.isEmpty()
                ? GONE
                : this.calls.query(lockName, redis -> redis.getExpire(key, TimeUnit.MILLISECONDS));
        return millis == GONE
                ? null
                : new StoredLock(Long.parseLong(token.orElseThrow().toString()), millis);
    }

    @Override
    public boolean forceRelease(String lockName) {
        // From the owner found now, and from no other: repeated by the client, it must not hit the successor.
        String owner = this.calls.query(lockName, redis -> {
            Object id = redis.opsForHash().get(this.keys.keyOf(lockName), OWNER);
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
        Inbox current = this.inbox;
        if (current != null) {
            current.want();
        }
    }

    @Override
    public void start(String instanceId, WaitingListener listener) {
        Inbox created = new Inbox(this.keys, instanceId, listener);
        this.inbox = created;
        this.link.start(new RedisLink.Listener() {

            @Override
            public void connected(RedisConnectionFactory factory) {
                created.moveTo(factory);
                listener.missedSome();
            }

            @Override
            public void subscriptionBroke(RedisConnectionFactory factory) {
                created.broke(factory);
            }
        });
    }

    @Override
    public void stop(WaitingListener listener) {
        Inbox current = this.inbox;
        this.inbox = null;
        if (current != null) {
            current.end();
        }
        this.link.stop();
    }

    @Override
    public boolean isConnected() {
        return this.link.isConnected();
    }

    @Override
    public String description() {
        return this.link.description() + ", key prefix " + this.keyPrefix;
    }
}
