package io.github.lockstarter.store.redis;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.store.UnusableStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LoggedNames;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Stores locks in Redis 6.2 or newer, or in Valkey: standalone, Sentinel or Cluster. Thread-safe, except that {@link
 * #start} and {@link #stop} must not run at the same time.
 *
 * <p>Mutual exclusion is not guaranteed over an asynchronous failover, an eviction, a flush or a step of the server's
 * clock.
 *
 * @see <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
public final class RedisLockStore implements LockStore {

    /*
     * Implementation note.
     *
     * Data. A lock is one hash under prefix:{name}: o is the id of the owning acquisition, f its fencing token;
     * lock.lua describes the waiting line and shared use. The key's time to live is the lease. Invariants, checked with
     * TLC:
     *   - a lock is owned if and only if its key exists with a field o;
     *   - a key with a field o always has a time to live (a script sets both, or removes the key again);
     *   - tokens of a lock grow: a token is at least the server's time in microseconds, and larger than the one before
     *     it while the key exists. Microseconds stay below 2^53, so Lua computes with them exactly. Where a server
     *     refuses TIME in scripts, the time has milliseconds, and a key with the last token alone, which is a free
     *     lock, stays until the clock is past it: no_time_now.lua has the reasons;
     *   - an acquisition id owns or waits at most once, and is never used again after its release.
     *
     * Atomicity and repetition. Each command is one script, because the decision and the write must be one step.
     * Clients and callers repeat calls whose reply was lost, so each script has the same effect when it is executed
     * twice with the same acquisition id. Its late execution is harmless as well:
     *   - a late acquire grants a lock that no caller uses: the caller releases the id when the outcome is unknown;
     *   - a late renewal compares the owner, and so cannot extend the lease of the next one;
     *   - a late release compares the owner, and so cannot release the lock of the next one;
     *   - a late command for an id whose lock is kept for a minimum hold matches nothing, because the owner is ~k<id>
     *     then.
     * If a connection breaks during a command, its reply may be that to a second execution. "Not owned" in reply to a
     * release and every rejection then leave the outcome unknown: the count of disconnects before and after the command
     * shows it.
     *
     * Waiting. A command that joins the line names the inbox of this instance, and release.lua grants the lock to the
     * first in line and publishes key, id and token there. The grant has a short lease, claimMillis, until the waiter
     * renews it, or asks again under its id if the message proves too little. A waiter also polls. Three races matter:
     *   - until its subscription is acknowledged, a waiter could miss its message. It joins as one that polls, and asks
     *     again with the acknowledgement;
     *   - after a reconnection of the subscription, messages may be missing: notificationsMayBeLost() makes waiters
     *     ask;
     *   - without receivers the instance of a waiter is gone, and release.lua skips it if it has not polled in time.
     *     Only a single server counts all receivers, so an entry states whether the server has counted the inbox.
     * Where a server refuses PUBLISH in scripts, or loses the messages, the scripts return them, and they are published
     * here after the reply, without a wait. Probes decide that: see MessageRoute and Inbox.
     *
     * Threads. Any thread may call any method. A blocking caller's script is called through StringRedisTemplate, and
     * the script of a release that names a successor through Lettuce itself: the next owner waits for it, and the path
     * runs too seldom to be compiled. The template therefore made a hand-over between JVMs 6 to 9 % slower. Commands
     * that are sent complete on an event loop of the private connection, which must not be blocked. The application's
     * connection offers blocking calls only; BackgroundCalls executes what is sent over it. Whatever is thrown, an
     * Error included, becomes a failure of the command.
     *
     * Time. A command that is sent is answered or fails within the command timeout, with all that it takes: the
     * repetition with the text of the script and the confirmation by replicas. A blocking call over the template ends
     * within the timeout as well, except that a server which has lost its scripts gets the text in a command of its
     * own. Over the application's connection its timeouts apply once a call has begun.
     *
     * Format. The scripts of two formats would misread the same key, so WireFormat decides whether locks may be
     * acquired; its version is read with each connection. Without it a release names no successor, or the waiters of
     * this JVM would pass a lock on for ever. Everything else continues, which lets leases end in order.
     *
     * Units. leaseMillis, keepMillis, claimMillis: milliseconds. Fencing tokens: microseconds of the server's clock, 0
     * for none. Deadlines in this package are nanoseconds of System.nanoTime(). Counts of disconnects are compared for
     * equality only.
     *
     * Cost. An uncontended acquire is one EVALSHA through StringRedisTemplate, one frame from here to the template.
     *
     * Sources: Kleppmann, "How to do distributed locking" (fencing tokens); Redis documentation, "Distributed locks
     * with Redis" and "EVAL"; Redisson's LockPubSub (notification by channel); MCS locks (hand-over to the first in
     * line).
     */

    /** For a thread that cannot create an exception which names the lock. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    private static final LockStoreException EXHAUSTED = new LockStoreException(
            "A command failed because the JVM has no memory or no stack left. It is unknown whether it was executed.",
            null,
            true,
            true);

    private static final CompletableFuture<Reply> FAILED = CompletableFuture.failedFuture(EXHAUSTED);

    private final LockKeys keys;

    private final StoreConnection connection;

    private final ScriptCommands scriptCommands;

    private final RedisStoreSettings settings;

    /** Milliseconds in which a waiter must claim a grant from the line: twice the poll interval. */
    private final long claimMillis;

    /** Whether replicas confirm grants and renewals. */
    private final boolean confirms;

    /** {@code null} unless the store is started. */
    private volatile @Nullable Run run;

    /**
     * Creates a store; {@link #start} connects it.
     *
     * @param factory the application's connection factory, which is neither changed nor closed
     */
    public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
        RedisErrors.load();
        this.settings = settings;
        this.keys = new LockKeys(settings.keyPrefix(), LoggedNames.withKeys(settings.logKeys()));
        this.connection = connectionOver(factory, this.keys, settings);
        this.claimMillis = settings.claimMillis();
        this.confirms = settings.confirmReplicas() > 0;
        this.scriptCommands = new ScriptCommands(this.keys, this.claimMillis);
    }

    /** Chooses a private connection if it is wanted and can be derived, or else the application's. */
    private static StoreConnection connectionOver(
            RedisConnectionFactory factory, LockKeys keys, RedisStoreSettings settings) {
        boolean lettuce = ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisLockStore.class.getClassLoader());
        DerivedFactory known = lettuce ? DerivedFactory.of(factory, settings.commandTimeout()) : null;
        DerivedFactory recipe = settings.privateConnection() ? known : null;
        if (recipe == null && settings.confirmReplicas() > 0) {
            throw new InvalidLockSettingException(
                    "redis.confirm-replicas",
                    settings.confirmReplicas(),
                    "must be 0 if no private connection can be derived from the application's "
                            + ClassUtils.getUserClass(factory).getSimpleName(),
                    "Use Lettuce with a standalone server, Sentinel or a cluster, or remove the property.");
        }
        return recipe != null
                ? new PrivateConnection(recipe, keys, settings)
                : new SharedConnection(factory, keys, settings, known, lettuce);
    }

    @Override
    public void start(String instance, StoreListener listener) {
        Run created = new Run(instance, listener);
        this.run = created;
        this.connection.messages.started();
        this.connection.start(created);
        OpenConnection open = this.connection.current;
        if (open != null && !open.hasTime && !open.shows("PEXPIRETIME")) {
            stop();
            throw new UnusableStoreException(
                    this.connection.servers + " shows no time in scripts, which distributed locks need: it refuses both"
                            + " TIME (" + open.timeFailures.get("TIME") + ") and PEXPIRETIME ("
                            + open.timeFailures.get("PEXPIRETIME") + ").",
                    StoreConnection.TIME_REMEDY);
        }
    }

    @Override
    public void stop() {
        Run ended = this.run;
        this.run = null;
        if (ended != null) {
            ended.stop();
        }
        this.connection.stop();
    }

    @Override
    public Reply call(Command command) {
        // Read once for each command, because a probe may change it at any time.
        boolean byScript = this.connection.messages.isByScript;
        while (true) {
            long disconnects = this.connection.disconnects.get();
            try {
                if (!this.settings.publishInstance() && isOfInstances(command)) {
                    return withoutInstances(command);
                }
                OpenConnection open = this.connection.current;
                if (open == null) {
                    throw this.connection.notConnected(subject(command));
                }
                LettuceScripts scripts = open instanceof LettuceScripts its ? its : null;
                if (scripts != null && this.confirms && isConfirmed(command)) {
                    return start(command, scripts).get();
                }
                if (command instanceof Command.Notify message && !mustPublishByScript(byScript)) {
                    Long unused = open.template.convertAndSend(
                            this.keys.channelOf(message.instance()), this.scriptCommands.textOf(message));
                    return Reply.Done.INSTANCE;
                }
                ScriptCommands.Call call = prepare(command, byScript);
                boolean isAwaited = command instanceof Command.Release release && release.successor() != null;
                Object result = scripts != null && isAwaited
                        ? scripts.timeouts.await(scripts.start(call))
                        : open.template.execute(call.textFor(open.hasTime), call.keys, (Object[]) call.arguments);
                if (result == null) {
                    // There is no result in a transaction or pipeline of the application.
                    throw RedisErrors.inTransaction(subject(command));
                }
                return toReply(command, result, disconnects);
            } catch (Throwable ex) {
                if (ex instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                if (!byScript || !isMessageRefused(ex)) {
                    throw failedSafely(ex, command, disconnects);
                }
                byScript = false;
            }
        }
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        try {
            if (!this.settings.publishInstance() && isOfInstances(command)) {
                return CompletableFuture.completedFuture(withoutInstances(command));
            }
            OpenConnection open = this.connection.current;
            LettuceScripts scripts = open instanceof LettuceScripts its ? its : null;
            if (scripts != null) {
                return start(command, scripts);
            }
            Run current = this.run;
            if (open == null || current == null) {
                throw this.connection.notConnected(subject(command));
            }
            return current.calls.submit(() -> call(command), subject(command));
        } catch (Throwable ex) {
            try {
                return CompletableFuture.failedFuture(failedSafely(ex, command, this.connection.disconnects.get()));
            } catch (Throwable another) {
                return FAILED;
            }
        }
    }

    private static boolean isOfInstances(Command command) {
        return command instanceof Command.PublishInstance || command instanceof Command.FindInstance;
    }

    private static Reply withoutInstances(Command command) {
        return command instanceof Command.FindInstance ? new Reply.Instance(null) : Reply.Done.INSTANCE;
    }

    private boolean isConfirmed(Command command) {
        return this.confirms
                && (command instanceof Command.Acquire
                        || command instanceof Command.Renew
                        || command instanceof Command.RenewAll);
    }

    /** Returns the call of a command. */
    private ScriptCommands.Call prepare(Command command, boolean byScript) {
        Command executed = command;
        if (this.connection.format.stored != WireFormat.VERSION) {
            if (command instanceof Command.Acquire acquire) {
                throw this.connection.format.refusal(acquire.lock());
            }
            if (command instanceof Command.Release release && release.successor() != null) {
                executed = new Command.Release(
                        release.lock(), release.id(), release.lastToken(), release.keepMillis(), null);
            }
        }
        Run current = this.run;
        ScriptCommands.Call call =
                this.scriptCommands.callOf(executed, current != null ? current.inbox.waiting() : null);
        return byScript ? call : call.returningMessages();
    }

    /** Returns whether the server has refused a text because it publishes, so that another text must be sent. */
    private boolean isMessageRefused(Throwable failure) {
        if (failure instanceof VirtualMachineError || !RedisErrors.isMessageRefused(failure)) {
            return false;
        }
        this.connection.messages.refused(String.valueOf(RedisErrors.errorReply(failure)));
        return true;
    }

    /** Sends a command. The reply or the failure arrives within one command timeout. */
    private CompletableFuture<Reply> start(Command command, LettuceScripts scripts) {
        PendingReply reply = new PendingReply(command);
        try {
            scripts.timeouts.limit(reply);
        } catch (Throwable ex) {
            throw RedisErrors.notSent(subject(command), "no thread is available for its timeout.", ex);
        }
        send(command, scripts, reply, this.connection.messages.isByScript);
        return reply;
    }

    private void send(Command command, LettuceScripts scripts, PendingReply reply, boolean byScript) {
        reply.publishing = byScript ? scripts : null;
        try {
            CompletableFuture<Reply> sent;
            if (!isConfirmed(command)) {
                sent = execute(command, byScript, scripts, reply.disconnects);
            } else if (command instanceof Command.Acquire acquire) {
                sent = execute(command, byScript, scripts, reply.disconnects)
                        .thenCompose(granted -> granted instanceof Reply.Granted
                                ? confirm(acquire, granted, reply.disconnects)
                                : CompletableFuture.completedFuture(granted));
            } else {
                sent = renewConfirmed(command, reply.disconnects);
            }
            LettuceScripts.forward(sent, reply);
        } catch (Throwable ex) {
            reply.completeExceptionally(ex);
        }
    }

    private CompletableFuture<Reply> execute(
            Command command, boolean byScript, LettuceScripts scripts, long disconnects) {
        if (command instanceof Command.Notify message && !mustPublishByScript(byScript)) {
            byte[] channel = OpenConnection.bytes(this.keys.channelOf(message.instance()));
            byte[] text = OpenConnection.bytes(this.scriptCommands.textOf(message));
            return scripts.commands
                    .publish(channel, text)
                    .toCompletableFuture()
                    .thenApply(receivers -> Reply.Done.INSTANCE);
        }
        return scripts.start(prepare(command, byScript)).thenApply(result -> toReply(command, result, disconnects));
    }

    /**
     * Returns whether a script publishes a message that follows no grant, or otherwise the client.
     *
     * @throws LockStoreException if messages are not published at all
     */
    private boolean mustPublishByScript(boolean byScript) {
        String obstacle = byScript ? null : this.connection.messages.obstacle();
        if (obstacle != null) {
            throw new LockStoreException(
                    "No message was sent to the owner of a lock, because this instance publishes none: " + obstacle
                            + ". See distributed-lock.redis.messages.",
                    null,
                    false,
                    false);
        }
        return byScript;
    }

    private CompletableFuture<Reply> renewConfirmed(Command command, long disconnects) {
        Run current = this.run;
        if (current == null || current.confirmation == null) {
            throw this.connection.notConnected(subject(command));
        }
        return current.confirmation
                // The script of a renewal publishes nothing.
                .send(prepare(command, true), subject(command))
                .thenApply(result -> toReply(command, result, disconnects));
    }

    /** Confirms a grant. Each failure leaves the grant in Redis, and the outcome is therefore unknown. */
    private CompletableFuture<Reply> confirm(Command.Acquire command, Reply granted, long disconnects) {
        Command.Renew renewal = new Command.Renew(command.lock(), command.id(), command.leaseMillis());
        return renewConfirmed(renewal, disconnects).handle((reply, failure) -> {
            if (failure != null) {
                LockStoreException cause = failed(failure, command, disconnects);
                throw cause.isOutcomeUnknown() ? cause : withUnknownOutcome(cause, "");
            }
            if (reply instanceof Reply.NotOwner none) {
                // The grant was written to a server that the pair has not reached.
                this.connection.findMaster();
                throw new LockStoreException(
                        "Redis granted " + subject(command) + " but did not confirm it: when the replicas were to"
                                + " acknowledge it, the lock " + (none.isFree() ? "was free." : "had another owner.")
                                + " Either its lease of " + command.leaseMillis()
                                + " ms is too short, the lock was released by force, or a failover is in progress.",
                        null,
                        true,
                        true);
            }
            return granted;
        });
    }

    // ---- Replies and failures

    private Reply toReply(Command command, Object result, long disconnects) {
        Object own = result instanceof List<?> list && returnsMessages(command) ? published(list) : result;
        Reply reply = this.scriptCommands.toReply(command, own, this.connection.disconnects.get() != disconnects);
        if (reply instanceof Reply.InLine
                || (reply instanceof Reply.Taken && command instanceof Command.Acquire acquire && acquire.join())) {
            subscribe();
        }
        return reply instanceof Reply.RenewedAll all && all.outcomes().stream().anyMatch(Reply.Failed.class::isInstance)
                ? explained(((Command.RenewAll) command).renewals(), all.outcomes(), disconnects)
                : reply;
    }

    /** Returns whether the plain script of the command has no list as its result. */
    private static boolean returnsMessages(Command command) {
        return command instanceof Command.Acquire
                || command instanceof Command.Downgrade
                || (command instanceof Command.Release release && release.keepMillis() == 0);
    }

    /** Publishes the messages in the result of a script, see {@code by_client.lua}, and returns the result without. */
    private Object published(List<?> result) {
        OpenConnection open = this.connection.current;
        Run current = this.run;
        for (int i = 1; i + 1 < result.size() && open != null && current != null; i += 2) {
            String channel = this.keys.channelOf(ScriptCommands.text(result.get(i)));
            String message = ScriptCommands.text(result.get(i + 1));
            this.connection.messages.publish(() -> open instanceof LettuceScripts scripts
                    ? scripts.commands.publish(OpenConnection.bytes(channel), OpenConnection.bytes(message))
                    : current.calls.submit(() -> open.template.convertAndSend(channel, message), "a message"));
        }
        return result.get(0);
    }

    /** Subscribes, because a waiter or an owner of this JVM needs messages. */
    private void subscribe() {
        Run current = this.run;
        if (current != null) {
            current.inbox.request();
        }
    }

    /** Replaces error replies by messages that name the lock and what to do, and takes the steps that they call for. */
    private Reply explained(List<Command.Renew> renewals, List<Reply> outcomes, long disconnects) {
        return new Reply.RenewedAll(IntStream.range(0, outcomes.size())
                .mapToObj(i -> outcomes.get(i) instanceof Reply.Failed failed
                        ? new Reply.Failed(String.valueOf(
                                failed(new RedisSystemException(failed.message(), null), renewals.get(i), disconnects)
                                        .getMessage()))
                        : outcomes.get(i))
                .toList());
    }

    /**
     * Returns the failure of a command as an exception that names the lock.
     *
     * @param disconnects count of disconnects before the command
     */
    private LockStoreException failed(Throwable failure, Command command, long disconnects) {
        Throwable cause = (failure instanceof CompletionException || failure instanceof ExecutionException)
                        && failure.getCause() != null
                ? failure.getCause()
                : failure;
        if (cause instanceof LockStoreException known) {
            return known;
        }
        LockStoreException translated = this.connection.failed(cause, subject(command), keyOf(command));
        if (cause instanceof TimeoutException && isConfirmed(command)) {
            return withUnknownOutcome(
                    translated,
                    " Its confirmation is part of it: distributed-lock.redis.confirm-replicas="
                            + this.settings.confirmReplicas()
                            + " makes it wait for replicas. Check that Redis and its replicas are not overloaded, or"
                            + " raise distributed-lock.redis.command-timeout.");
        }
        return translated.isOutcomeUnknown() || this.connection.disconnects.get() == disconnects
                ? translated
                : withUnknownOutcome(
                        translated,
                        " The connection broke meanwhile, so that the client may have repeated the command.");
    }

    private static LockStoreException withUnknownOutcome(LockStoreException failure, String more) {
        return new LockStoreException(failure.getMessage() + more, failure.getCause(), true, failure.isTransient());
    }

    /** As {@link #failed}; the thread may have neither stack nor memory left. */
    private LockStoreException failedSafely(Throwable failure, Command command, long disconnects) {
        try {
            if (failure instanceof StackOverflowError) {
                // It may have left a lock of the client behind, at which every later command would wait for ever.
                this.connection.discard();
            }
            return failed(failure, command, disconnects);
        } catch (Throwable another) {
            return EXHAUSTED;
        }
    }

    /** Returns what a command is for, as messages name it. */
    private String subject(Command command) {
        if (command instanceof Command.RenewAll renewAll) {
            int others = renewAll.renewals().size() - 1;
            return subject(renewAll.renewals().get(0)) + (others > 0 ? " and " + others + " others" : "");
        }
        return isOfInstances(command) ? "the descriptions of instances" : this.keys.describe(command.lock());
    }

    /** Returns the key of a command for a lock, the first of several, or {@code null} if it is for no lock. */
    private @Nullable String keyOf(Command command) {
        Command first = command instanceof Command.RenewAll all ? all.renewals().get(0) : command;
        return isOfInstances(first) ? null : this.keys.keyOf(first.lock());
    }

    @Override
    public void listen() {
        subscribe();
    }

    @Override
    public boolean sendsWithoutThread() {
        OpenConnection open = this.connection.current;
        return open == null || open instanceof LettuceScripts;
    }

    @Override
    public int renewalBatchSize() {
        OpenConnection open = this.connection.current;
        LettuceScripts scripts = open instanceof LettuceScripts its ? its : null;
        // Where each renewal is a separate call, a server that is down must delay only the renewals of its locks.
        return open == null || (scripts != null && scripts.isSingleServer.get()) ? LuaScript.MAX_RENEWALS : 1;
    }

    @Override
    public long claimMillis() {
        // A grant is reported only after its confirmation, which the acquire does that follows the message.
        return this.settings.confirmReplicas() > 0 ? 0 : this.claimMillis;
    }

    @Override
    public @Nullable String obstacle() {
        return this.connection.obstacle();
    }

    @Override
    public MessageStatus messages() {
        return this.connection.messages.status();
    }

    @Override
    public String description() {
        return this.connection.description() + " (server: " + server()
                + (this.connection.messages.isKnown
                        ? ", messages by " + messages().mode()
                        : "") + "), key prefix "
                + this.keys.prefix();
    }

    @Override
    public Server server() {
        Server known = this.connection.server;
        OpenConnection open = this.connection.current;
        return open != null ? known.withTime(open.hasTime ? "TIME" : "PEXPIRETIME") : known;
    }

    /** The reply to a command that was sent. Every failure becomes a {@link LockStoreException}. */
    private final class PendingReply extends CompletableFuture<Reply> {

        private final Command command;

        private final long disconnects = RedisLockStore.this.connection.disconnects.get();

        /** Where a script was sent whose text publishes, or {@code null} if the text does not. */
        private volatile @Nullable LettuceScripts publishing;

        PendingReply(Command command) {
            this.command = command;
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            LettuceScripts refusing = this.publishing;
            if (refusing != null && !isDone() && isMessageRefused(failure)) {
                // A connection that has been replaced is closed after the replies to what was sent before. With the
                // reply, the message about a grant would be lost.
                OpenConnection open = RedisLockStore.this.connection.current;
                send(this.command, open instanceof LettuceScripts current ? current : refusing, this, false);
                return false;
            }
            return !isDone() && super.completeExceptionally(failedSafely(failure, this.command, this.disconnects));
        }
    }

    /** One run of the store, from its start to its stop. */
    private final class Run implements StoreConnection.Listener {

        private final StoreListener listener;

        private final Inbox inbox;

        private final BackgroundCalls calls;

        /** {@code null} if no replica must acknowledge a grant. */
        private final @Nullable ReplicaConfirmation confirmation;

        private volatile boolean stopped;

        Run(String instance, StoreListener listener) {
            RedisStoreSettings settings = RedisLockStore.this.settings;
            this.listener = listener;
            this.inbox =
                    new Inbox(instance, listener, RedisLockStore.this.connection, RedisLockStore.this.keys, settings);
            this.calls = new BackgroundCalls(settings.commandTimeout(), StoreConnection.threads());
            this.confirmation = settings.confirmReplicas() > 0
                    ? new ReplicaConfirmation(
                            (PrivateConnection) RedisLockStore.this.connection,
                            settings.commandTimeout(),
                            settings.confirmReplicas())
                    : null;
        }

        @Override
        public void connected(RedisConnectionFactory factory) {
            if (this.confirmation != null) {
                this.confirmation.connected((LettuceConnectionFactory) factory);
            }
            this.inbox.connected(factory);
        }

        @Override
        public void messagesMayBeRefused() {
            this.inbox.requestAndAwait();
        }

        @Override
        public void moved() {
            if (!this.stopped) {
                this.listener.serverChanged();
            }
        }

        @Override
        public void subscriptionLost(RedisConnectionFactory factory) {
            this.inbox.subscriptionLost(factory);
        }

        void stop() {
            this.stopped = true;
            this.inbox.stop();
            this.calls.stop();
            if (this.confirmation != null) {
                this.confirmation.stop();
            }
        }
    }
}
