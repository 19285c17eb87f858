package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import java.util.concurrent.CompletionException;

/**
 * A store whose blocking calls go over Lettuce's asynchronous API instead of the template, to show the price of the
 * template.
 */
final class AsynchronousStore extends ForwardingStore {

    AsynchronousStore(LockStore redis) {
        super(redis);
    }

    @Override
    public Reply call(Command command) {
        try {
            return send(command).toCompletableFuture().join();
        } catch (CompletionException ex) {
            throw ex.getCause() instanceof LockStoreException failure ? failure : ex;
        }
    }
}
