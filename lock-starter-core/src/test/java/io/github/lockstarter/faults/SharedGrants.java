package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** What acquires a lock beside others, and what Redis has of that. */
enum SharedGrants {
    READERS {
        @Override
        LockRequest request() {
            return LockRequest.of(NAME).withMode(LockMode.READ);
        }
    },
    /** Two of three, so that a count that is wrong shows. */
    PERMITS {
        @Override
        LockRequest request() {
            return LockRequest.of(NAME).withPermits(1, 3);
        }
    };

    static final String NAME = "shared";

    static final String KEY = "lock:{" + NAME + "}";

    /** One of several that fit beside each other. */
    abstract LockRequest request();

    /** What waits until all others have ended. */
    LockRequest alone() {
        return this == READERS ? LockRequest.of(NAME) : LockRequest.of(NAME).withPermits(3, 3);
    }

    /** The ids of all holders that Redis has, dead or alive. */
    static List<String> holders(RedisCli redis) {
        return redis.hgetall(KEY).keySet().stream()
                .filter(field -> field.startsWith("h:"))
                .toList();
    }

    static Lease get(CompletionStage<Lease> waiting) throws Exception {
        return waiting.toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
}
