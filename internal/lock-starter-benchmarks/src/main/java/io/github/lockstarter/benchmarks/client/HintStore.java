package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.store.LockStore;

/**
 * A store whose messages about grants are not believed, so that an acquire follows each of them, to show the price of
 * that.
 */
final class HintStore extends ForwardingStore {

    HintStore(LockStore redis) {
        super(redis);
    }

    @Override
    public long claimMillis() {
        return 0;
    }
}
