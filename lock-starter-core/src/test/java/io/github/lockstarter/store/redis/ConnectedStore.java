package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A started store with a connection factory of its own, and what its listener was notified of. */
final class ConnectedStore implements AutoCloseable, StoreListener {

    static final long LEASE = 60_000;

    /** How a command reaches the store. */
    enum Way {
        CALL,
        SEND
    }

    /** A message about a grant. */
    record Message(String lock, String id, long token) {}

    private final LettuceConnectionFactory factory;

    private final RedisLockStore store;

    private final List<Message> messages = new CopyOnWriteArrayList<>();

    private final AtomicInteger gaps = new AtomicInteger();

    private final AtomicInteger moves = new AtomicInteger();

    /** Starts a store over the factory, which is not started and is destroyed with the store. */
    ConnectedStore(String instance, LettuceConnectionFactory factory, RedisStoreSettings settings) {
        this(instance, factory, factory, settings);
    }

    /** As above, over another factory that uses it. */
    ConnectedStore(
            String instance,
            LettuceConnectionFactory factory,
            RedisConnectionFactory over,
            RedisStoreSettings settings) {
        this.factory = factory;
        factory.afterPropertiesSet();
        this.store = new RedisLockStore(over, settings);
        this.store.start(instance, this);
    }

    /** Waits until the store is connected, for which a start on a busy machine may be too short. */
    ConnectedStore connected() {
        soon().until(() -> this.store.obstacle() == null);
        return this;
    }

    @Override
    public void granted(String lock, String id, long token) {
        this.messages.add(new Message(lock, id, token));
    }

    @Override
    public void notified(String lock, String id, Notice notice) {
        this.messages.add(new Message(lock, notice + " " + id, 0));
    }

    @Override
    public void messageRejected() {
        this.messages.add(new Message("", "rejected", 0));
    }

    @Override
    public void notificationsMayBeLost() {
        this.gaps.incrementAndGet();
    }

    @Override
    public void serverChanged() {
        this.moves.incrementAndGet();
    }

    RedisLockStore store() {
        return this.store;
    }

    List<Message> messages() {
        return this.messages;
    }

    /** Returns how often messages may have been lost. */
    int gaps() {
        return this.gaps.get();
    }

    int moves() {
        return this.moves.get();
    }

    Reply execute(Way way, Command command) {
        return way == Way.CALL
                ? this.store.call(command)
                : get(this.store.send(command).toCompletableFuture());
    }

    /** Returns the exception with which a command fails. */
    LockStoreException failure(Way way, Command command) {
        try {
            throw new AssertionError("no failure but " + execute(way, command));
        } catch (LockStoreException ex) {
            return ex;
        }
    }

    /** Returns the reply; throws what the future was completed with, as it is. */
    static Reply get(CompletableFuture<Reply> reply) {
        try {
            return reply.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException ex) {
            throw (LockStoreException) ex.getCause();
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    Reply call(Command command) {
        return this.store.call(command);
    }

    long granted(String lock, String id) {
        Reply reply = call(acquire(lock, id));
        assertThat(reply).as("reply to %s", id).isInstanceOf(Reply.Granted.class);
        return ((Reply.Granted) reply).token();
    }

    /** Joins the line for a lock that is taken, and asks until the entry has an inbox, to which messages are sent. */
    void joins(String lock, String id) {
        StringRedisTemplate redis = new StringRedisTemplate(this.factory);
        soon().until(() -> call(join(lock, id)) instanceof Reply.Taken
                && redis.opsForHash().get("lock:{" + lock + '}', "w:" + id) instanceof String entry
                && entry.matches(".*[:.][^:.]+"));
    }

    static Command.Acquire acquire(String lock, String id) {
        return new Command.Acquire(lock, id, LEASE, false);
    }

    static Command.Acquire join(String lock, String id) {
        return new Command.Acquire(lock, id, LEASE, true);
    }

    static Command.Renew renew(String lock, String id) {
        return new Command.Renew(lock, id, LEASE);
    }

    static Command.Release release(String lock, String id) {
        return new Command.Release(lock, id, 0, 0, null);
    }

    @Override
    public void close() {
        this.store.stop();
        this.factory.destroy();
    }
}
