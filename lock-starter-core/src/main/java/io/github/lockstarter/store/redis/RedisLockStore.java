package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseListener;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Renewal;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * Locks in Redis 6.2 or newer, or Valkey 7.2 or newer: standalone, Sentinel or Cluster. One hash per lock, one script per
 * step; the scripts say what each of them promises.
 *
 * <p>Not promised: exclusion over an asynchronous failover, an eviction, a flush or a step of the server's clock.
 *
 * @see <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
public final class RedisLockStore implements LockStore {

    /** Over a foreign connection one by one: it may lead to a cluster, where one call cannot take keys of many slots. */
    private static final int BATCH = 100;

    private final LockKeys keys;

    private final RedisLink link;

    private final ReleaseMessages messages;

    private final Renewals renewals;

    /**
     * Creates a store; it connects when it is started.
     *
     * @param factory the application's connection factory; it is never changed and never closed
     */
    public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
        this.keys = new LockKeys(settings.keyPrefix());
        this.link = linkOver(factory, settings);
        this.messages = new ReleaseMessages(this.keys.releaseChannel());
        this.renewals = this.link.isCluster() ? new PipelinedRenewals(this.keys) : new BatchRenewals(this.keys);
    }

    private static RedisLink linkOver(RedisConnectionFactory factory, RedisStoreSettings settings) {
        boolean lettuce = ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisLockStore.class.getClassLoader());
        if (!settings.privateConnection()) {
            return new SharedLink(factory, "distributed-lock.redis.private-connection is false", lettuce);
        }
        DerivedFactory recipe = lettuce ? DerivedFactory.of(factory, settings.commandTimeout()) : null;
        return recipe != null
                ? new PrivateLink(recipe, settings.commandTimeout())
                : new SharedLink(
                        factory, "a private connection needs Lettuce and a configuration that can be copied", lettuce);
    }

    @Override
    public AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis) {
        long reply = call(
                lockName,
                redis -> redis.execute(
                        LuaScript.ACQUIRE,
                        List.of(this.keys.keyOf(lockName)),
                        acquisitionId,
                        Long.toString(leaseMillis)));
        return reply > 0 ? new AcquireReply.Granted(reply) : new AcquireReply.Taken(-reply);
    }

    @Override
    public ReleaseReply release(String lockName, String acquisitionId) {
        long breaks = this.link.breaks();
        long reply = call(
                lockName,
                redis -> redis.execute(
                        LuaScript.RELEASE,
                        List.of(this.keys.keyOf(lockName)),
                        acquisitionId,
                        this.keys.releaseChannel(),
                        lockName));
        if (reply > 0) {
            return ReleaseReply.RELEASED;
        }
        if (this.link.breaks() != breaks) {
            return ReleaseReply.UNPROVEN;
        }
        return reply == 0 ? ReleaseReply.GONE : ReleaseReply.TAKEN;
    }

    @Override
    public void renew(List<? extends Renewal> renewals) {
        StringRedisTemplate redis = this.link.template();
        String subject = renewals.size() == 1
                ? renewals.get(0).lockName()
                : renewals.get(0).lockName() + "' and " + (renewals.size() - 1) + " others, '";
        if (redis == null) {
            this.link.suspect();
            throw RedisErrors.notConnected(subject, this.link.trouble());
        }
        try {
            this.renewals.renew(redis, renewals, this.link::suspect);
        } catch (LockStoreException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            this.link.suspect();
            throw RedisErrors.translate(ex, subject, this.link.isPrivate());
        }
    }

    @Override
    public int renewalBatchSize() {
        return this.link.isPrivate() ? BATCH : 1;
    }

    @Override
    public boolean isLocked(String lockName) {
        return call(lockName, redis -> redis.opsForHash().hasKey(this.keys.keyOf(lockName), "o"));
    }

    @Override
    public boolean forceRelease(String lockName) {
        // From the owner found now, and from no other: repeated by the client, it must not hit the successor.
        String owner = call(lockName, redis -> {
            Object id = redis.opsForHash().get(this.keys.keyOf(lockName), "o");
            return id != null ? id.toString() : "";
        });
        if (owner.isEmpty()) {
            return false;
        }
        ReleaseReply reply = release(lockName, owner);
        return reply == ReleaseReply.RELEASED || reply == ReleaseReply.UNPROVEN;
    }

    private <T> T call(String lockName, Function<StringRedisTemplate, @Nullable T> command) {
        StringRedisTemplate redis = this.link.template();
        if (redis == null) {
            throw RedisErrors.notConnected(lockName, this.link.trouble());
        }
        T reply;
        try {
            reply = command.apply(redis);
        } catch (RuntimeException ex) {
            LockStoreException translated = RedisErrors.translate(ex, lockName, this.link.isPrivate());
            if (translated.isTransient()) {
                this.link.suspect();
            }
            throw translated;
        }
        if (reply == null) {
            throw new LockStoreException(
                    "Redis gave no answer for lock '" + lockName + "': the application's connection is in a transaction"
                            + " or a pipeline. Set distributed-lock.redis.private-connection=true.",
                    null,
                    true,
                    false);
        }
        return reply;
    }

    @Override
    public void prepareWaiting() {
        this.messages.want();
    }

    @Override
    public void start(ReleaseListener listener) {
        this.messages.start(listener);
        this.link.start(factory -> {
            this.messages.moveTo(factory);
            listener.missedSome();
        });
    }

    @Override
    public void stop(ReleaseListener listener) {
        this.messages.stop();
        this.link.stop();
    }

    @Override
    public String description() {
        return this.link.description();
    }
}
