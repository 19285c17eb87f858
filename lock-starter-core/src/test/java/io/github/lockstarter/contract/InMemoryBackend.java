package io.github.lockstarter.contract;

import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredLock;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One store in memory for all, which notes the commands that it executes. */
final class InMemoryBackend implements LockBackend {

    private final InMemoryLockStore store = new InMemoryLockStore();

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    private final AtomicLong commands = new AtomicLong();

    @Override
    public LockStore newStore() {
        return new Noting(this.store.forAnotherInstance());
    }

    @Override
    public Collection<String> locked() {
        return this.names.stream().filter(name -> inspect(name) != null).toList();
    }

    @Override
    public Duration remaining(String lockName) {
        StoredLock lock = inspect(lockName);
        return lock != null ? Duration.ofMillis(Math.max(0, lock.remainingMillis())) : Duration.ZERO;
    }

    @Override
    public int inLine(String lockName) {
        StoredLock lock = inspect(lockName);
        return lock != null ? lock.waiting() : 0;
    }

    @Override
    public long commands() {
        return this.commands.get();
    }

    @Override
    public void close() {}

    private @Nullable StoredLock inspect(String lockName) {
        return ((Reply.Described) this.store.call(new Command.Inspect(lockName, false))).lock();
    }

    /** The store of one instance. */
    private final class Noting extends ForwardingStore {

        Noting(LockStore store) {
            super(store);
        }

        private void note(Command command) {
            if (command instanceof Command.Acquire acquire) {
                InMemoryBackend.this.names.add(acquire.lock());
            }
            if (!(command instanceof Command.PublishInstance) && !(command instanceof Command.FindInstance)) {
                InMemoryBackend.this.commands.incrementAndGet();
            }
        }

        @Override
        public Reply call(Command command) {
            note(command);
            return super.call(command);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            note(command);
            return super.send(command);
        }
    }
}
