package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Passes all calls on to another store, for variants that differ in one of them. */
class ForwardingStore implements LockStore {

    private final LockStore redis;

    ForwardingStore(LockStore redis) {
        this.redis = redis;
    }

    @Override
    public void start(String instance, StoreListener listener) {
        this.redis.start(instance, listener);
    }

    @Override
    public void stop() {
        this.redis.stop();
    }

    @Override
    public Reply call(Command command) {
        return this.redis.call(command);
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return this.redis.send(command);
    }

    @Override
    public void listen() {
        this.redis.listen();
    }

    @Override
    public int renewalBatchSize() {
        return this.redis.renewalBatchSize();
    }

    @Override
    public long claimMillis() {
        return this.redis.claimMillis();
    }

    @Override
    public @Nullable String obstacle() {
        return this.redis.obstacle();
    }

    @Override
    public String description() {
        return this.redis.description();
    }
}
