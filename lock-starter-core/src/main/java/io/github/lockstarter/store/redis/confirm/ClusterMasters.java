package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.store.redis.connection.DerivedFactory;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The masters of a cluster, as the topology of the store's connection names them. Each has a connection of its own that
 * follows no redirection. A node that is no master any more stays, without a thread, until the store stops.
 */
final class ClusterMasters implements Masters {

    private final DerivedFactory recipe;

    private final LockKeys keys;

    private final Queues queues;

    /** By host and port. */
    private final ConcurrentMap<String, SingleMaster> byNode = new ConcurrentHashMap<>();

    /** Null unless connected. */
    private volatile @Nullable RedisClusterClient topology;

    ClusterMasters(DerivedFactory recipe, LockKeys keys, Queues queues) {
        this.recipe = recipe;
        this.keys = keys;
        this.queues = queues;
    }

    @Override
    public void connected(LettuceConnectionFactory factory) {
        RedisClusterClient connected = (RedisClusterClient) factory.getRequiredNativeClient();
        this.topology = connected;
        for (RedisClusterNode node : connected.getPartitions()) {
            if (node.getRole().isUpstream()) {
                queueOf(node).reopen();
            }
        }
    }

    @Override
    public @Nullable PairQueue queueOf(String lockName) {
        RedisClusterClient current = this.topology;
        RedisClusterNode master = current != null
                ? current.getPartitions().getMasterBySlot(SlotHash.getSlot(this.keys.keyOf(lockName)))
                : null;
        return master != null ? queueOf(master) : null;
    }

    private PairQueue queueOf(RedisClusterNode node) {
        String host = node.getUri().getHost();
        int port = node.getUri().getPort();
        String address = host + ':' + port;
        SingleMaster known = this.byNode.get(address);
        SingleMaster master = known != null
                ? known
                : this.byNode.computeIfAbsent(
                        address, key -> new SingleMaster(this.recipe.ofNode(host, port), this.queues));
        if (this.topology == null) {
            // Stopped in between; a second stop has no effect.
            master.stop();
        }
        return master.queue();
    }

    @Override
    public void stop() {
        this.topology = null;
        this.byNode.values().forEach(SingleMaster::stop);
        this.byNode.clear();
    }
}
