package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A way to bring many renewals to Redis. */
interface Renewals {

    /**
     * Renews over the link's connection, and tells each renewal how it went.
     *
     * @param onFailure is called when the connection gave no answer for one of them
     * @throws RuntimeException if none of them was told
     */
    void renew(StringRedisTemplate redis, List<? extends Renewal> renewals, Runnable onFailure);
}
