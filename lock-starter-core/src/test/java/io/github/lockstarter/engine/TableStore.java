package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.CommandStore;
import io.github.lockstarter.store.LockTable;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The store of one instance over a {@link LockTable} that several instances share. Commands that are sent are executed on another
 * thread, as replies of a server arrive; a test can replace the outcome of any command.
 */
final class TableStore implements CommandStore {

    /** What the instances of a test share. */
    static final class Table implements AutoCloseable {

        private final LockTable locks = new LockTable(2_000, true);

        private final Map<String, StoreListener> listeners = new ConcurrentHashMap<>();

        private final ExecutorService network = Executors.newFixedThreadPool(2);

        private final AtomicLong commands = new AtomicLong();

        long commands() {
            return this.commands.get();
        }

        private Reply execute(Command command, String inbox) {
            List<Runnable> messages = new ArrayList<>();
            Reply reply;
            synchronized (this.locks) {
                this.commands.incrementAndGet();
                reply = this.locks.execute(command, System.currentTimeMillis() * 1_000, inbox, new LockTable.Inboxes() {
                    @Override
                    public void publish(String lock, String receiver, String id, long token) {
                        StoreListener listener = Table.this.listeners.get(receiver);
                        if (listener != null) {
                            messages.add(() -> listener.granted(lock, id, token));
                        }
                    }

                    @Override
                    public boolean hasReceivers(String receiver) {
                        return Table.this.listeners.containsKey(receiver);
                    }
                });
            }
            messages.forEach(this.network::execute);
            return reply;
        }

        @Override
        public void close() {
            this.network.shutdown();
        }
    }

    private final Table table;

    private volatile String inbox = "";

    private volatile BiFunction<Command, Function<Command, Reply>, Reply> fault =
            (command, store) -> store.apply(command);

    TableStore(Table table) {
        this.table = table;
    }

    /** Lets a function decide about each command, which can execute it, throw, or both. */
    void intercept(BiFunction<Command, Function<Command, Reply>, Reply> function) {
        this.fault = function;
    }

    void interceptNothing() {
        this.fault = (command, store) -> store.apply(command);
    }

    @Override
    public void start(String instance, StoreListener listener) {
        this.inbox = instance;
        this.table.listeners.put(instance, listener);
    }

    @Override
    public void stop() {
        this.table.listeners.remove(this.inbox);
    }

    @Override
    public Reply call(Command command) {
        return this.fault.apply(command, all -> this.table.execute(all, this.inbox));
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        this.table.network.execute(() -> {
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

    @Override
    public int renewalBatchSize() {
        return 100;
    }

    @Override
    public long claimMillis() {
        return 2_000;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public String description() {
        return "a table";
    }
}
