package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The store of one instance in memory. Commands that are sent and messages arrive on other threads, as those of a
 * server do; a test can replace the outcome of any command.
 */
public final class RemoteStore extends ForwardingStore {

    /** What the instances of a test share. */
    public static final class Server implements AutoCloseable {

        private final InMemoryLockStore locks = new InMemoryLockStore();

        private final ExecutorService network = Executors.newFixedThreadPool(2);

        @Override
        public void close() {
            this.network.shutdown();
        }
    }

    private final ExecutorService network;

    private volatile BiFunction<Command, Function<Command, Reply>, Reply> fault;

    public RemoteStore(Server server) {
        super(server.locks.forAnotherInstance());
        this.network = server.network;
        this.fault = (command, unchanged) -> unchanged.apply(command);
    }

    /** Lets a function decide about each command, which can execute it, throw, or both. */
    public void intercept(BiFunction<Command, Function<Command, Reply>, Reply> function) {
        this.fault = function;
    }

    public void interceptNothing() {
        this.fault = (command, unchanged) -> unchanged.apply(command);
    }

    @Override
    public void start(String instance, StoreListener listener) {
        this.store.start(instance, new StoreListener() {
            @Override
            public void granted(String lock, String id, long token) {
                RemoteStore.this.network.execute(() -> listener.granted(lock, id, token));
            }

            @Override
            public void notified(String lock, String id, Notice notice) {
                RemoteStore.this.network.execute(() -> listener.notified(lock, id, notice));
            }

            @Override
            public void messageRejected() {
                listener.messageRejected();
            }

            @Override
            public void notificationsMayBeLost() {
                listener.notificationsMayBeLost();
            }

            @Override
            public void serverChanged() {
                listener.serverChanged();
            }
        });
    }

    @Override
    public Reply call(Command command) {
        return this.fault.apply(command, this.store::call);
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        this.network.execute(() -> {
            try {
                reply.complete(call(command));
            } catch (LockStoreException ex) {
                reply.completeExceptionally(ex);
            } catch (Throwable ex) {
                reply.completeExceptionally(new LockStoreException("failed", ex, true, true));
            }
        });
        return reply;
    }
}
