package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.store.redis.script.LuaScript.Variant;
import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Translates commands into calls of scripts, and their results into replies. No other class depends on the order of
 * arguments or on the codes in results, which the files of the scripts describe, except that {@link
 * ReplicaConfirmation} adds the last argument of a renewal. Immutable.
 *
 * <p>Calls and results have the forms of both clients: {@code StringRedisTemplate.execute}, whose texts are strings,
 * and {@code EVALSHA} of Lettuce, whose texts are bytes.
 */
final class ScriptCommands {

    /** Results of {@code release.lua} that are larger are the fencing token of the successor. */
    private static final long MAX_CODE = 3;

    private static final long RELEASED = 1;

    private static final long LEFT_LINE = 3;

    private static final long FREE = 0;

    /** Positions in the result of {@code inspect.lua}: the first holder, and the values of each. */
    private static final int FIRST_HOLDER = 5;

    private static final int HOLDER_VALUES = 4;

    /** Fields of the description of an instance, see {@code register.lua}. */
    private static final String[] INSTANCE_FIELDS = {"application", "host", "pid", "started"};

    private final LockKeys keys;

    /** How an acquisition waits that only polls: the time in which it must claim a grant, and a colon. */
    final String polling;

    /**
     * Creates the translation.
     *
     * @param claimMillis milliseconds in which a waiter must claim a grant from the line, twice its shortest poll
     *     interval
     */
    ScriptCommands(LockKeys keys, long claimMillis) {
        this.keys = keys;
        this.polling = waiting(claimMillis, "", true);
    }

    /** A call of a script. The result has the type of the script. */
    static final class Call {

        final LuaScript script;

        final List<String> keys;

        final String[] arguments;

        /** Whether the script returns its messages instead of publishing them. */
        final boolean returnsMessages;

        Call(LuaScript script, List<String> keys, String... arguments) {
            this.script = script;
            this.keys = keys;
            this.arguments = arguments;
            this.returnsMessages = false;
        }

        private Call(Call plain) {
            this.script = plain.script;
            this.keys = plain.keys;
            this.arguments = plain.arguments;
            this.returnsMessages = true;
        }

        /** Returns the script in the text for a server that permits {@code TIME} in scripts, or refuses it. */
        RedisScript<Object> textFor(boolean hasTime) {
            return hasTime && !this.returnsMessages
                    ? this.script
                    : this.script.in(Variant.needed(this.returnsMessages, hasTime));
        }

        /** Returns the same call of a script that returns its messages. */
        Call returningMessages() {
            return new Call(this);
        }
    }

    /**
     * Returns how acquisitions wait, see {@code acquire.lua}.
     *
     * @param inbox the inbox of their instance; empty: they only poll
     * @param isCounted whether a server has counted the inbox
     */
    static String waiting(long claimMillis, String inbox, boolean isCounted) {
        return claimMillis + (isCounted ? ":" : ".") + inbox;
    }

    /**
     * Returns the call that executes a command.
     *
     * @param waiting how acquisitions of this instance wait, see {@code acquire.lua}: {@link #polling}, followed by its
     *     inbox if it receives messages, with a dot instead of the colon unless the server has counted the inbox; null:
     *     the store was stopped, and an acquisition does not join the line
     */
    Call callOf(Command command, @Nullable String waiting) {
        if (command instanceof Command.Acquire acquire) {
            String key = this.keys.keyOf(acquire.lock());
            String lease = Long.toString(acquire.leaseMillis());
            return acquire.join() && waiting != null
                    ? new Call(LuaScript.ACQUIRE, List.of(key), acquire.id(), key, lease, waiting)
                    : new Call(LuaScript.ACQUIRE, List.of(key), acquire.id(), key, lease);
        }
        if (command instanceof Command.Release release) {
            return callOf(release, waiting != null ? waiting : this.polling);
        }
        if (command instanceof Command.Renew renew) {
            return renewals(List.of(renew));
        }
        if (command instanceof Command.RenewAll renewAll) {
            return renewals(renewAll.renewals());
        }
        if (command instanceof Command.Downgrade downgrade) {
            String key = this.keys.keyOf(downgrade.lock());
            return new Call(
                    LuaScript.DOWNGRADE,
                    List.of(key),
                    downgrade.id(),
                    key,
                    Long.toString(downgrade.leaseMillis()),
                    Long.toString(downgrade.lastToken()));
        }
        if (command instanceof Command.PublishInstance publish) {
            return callOf(publish);
        }
        if (command instanceof Command.FindInstance find) {
            return new Call(
                    LuaScript.INSTANCE, List.of(this.keys.ofInstance(find.instance())), INSTANCE_FIELDS.clone());
        }
        if (command instanceof Command.Notify message) {
            return new Call(
                    LuaScript.CHECK_MESSAGES,
                    List.of(this.keys.keyOf(message.lock())),
                    this.keys.channelOf(message.instance()),
                    textOf(message));
        }
        Command.Inspect inspect = (Command.Inspect) command;
        List<String> key = List.of(this.keys.keyOf(inspect.lock()));
        return inspect.ownerOnly() ? new Call(LuaScript.INSPECT, key, "1") : new Call(LuaScript.INSPECT, key);
    }

    /** Returns the text of a message, see {@link Inbox}. */
    String textOf(Command.Notify message) {
        return this.keys.keyOf(message.lock()) + message.notice().text + ':' + message.id();
    }

    private Call callOf(Command.Release release, String waiting) {
        String key = this.keys.keyOf(release.lock());
        Successor successor = release.successor();
        if (release.keepMillis() > 0) {
            return new Call(LuaScript.KEEP, List.of(key), release.id(), Long.toString(release.keepMillis()));
        }
        if (successor == null && release.lastToken() == 0) {
            // Most releases: nothing is sent that the script assumes.
            return new Call(LuaScript.RELEASE, List.of(key), release.id(), key);
        }
        String lastToken = Long.toString(release.lastToken());
        return successor == null
                ? new Call(LuaScript.RELEASE, List.of(key), release.id(), key, lastToken)
                : new Call(
                        LuaScript.RELEASE,
                        List.of(key),
                        release.id(),
                        key,
                        lastToken,
                        successor.acquisitionId(),
                        Long.toString(successor.leaseMillis()),
                        waiting);
    }

    private Call callOf(Command.PublishInstance publish) {
        LockHolder instance = publish.instance();
        Instant startedAt = instance.startedAt();
        List<@Nullable Object> values = Arrays.asList(
                instance.application(),
                instance.host(),
                instance.pid(),
                startedAt != null ? startedAt.toEpochMilli() : null);
        String[] arguments = new String[1 + 2 * values.size()];
        arguments[0] = Long.toString(publish.ttlMillis());
        for (int i = 0; i < values.size(); i++) {
            arguments[2 * i + 1] = INSTANCE_FIELDS[i];
            arguments[2 * i + 2] = Objects.toString(values.get(i), "");
        }
        return new Call(LuaScript.REGISTER, List.of(this.keys.ofInstance(instance.instance())), arguments);
    }

    /** Returns the call of the script for as many locks, or for more: it renews the last one repeatedly then. */
    private Call renewals(List<Command.Renew> renewals) {
        if (renewals.size() > LuaScript.MAX_RENEWALS) {
            throw new IllegalArgumentException(Printable.of("Command.RenewAll must not have more than "
                    + LuaScript.MAX_RENEWALS + " renewals, but has " + renewals.size() + '.'));
        }
        LuaScript script = LuaScript.renewing(renewals.size());
        List<String> locks = new ArrayList<>(script.keys);
        StringJoiner ids = new StringJoiner(";");
        for (int i = 0; i < script.keys; i++) {
            Command.Renew renewal = renewals.get(Math.min(i, renewals.size() - 1));
            locks.add(this.keys.keyOf(renewal.lock()));
            ids.add(renewal.id());
        }
        return new Call(script, locks, Long.toString(renewals.get(0).leaseMillis()), ids.toString());
    }

    /**
     * Returns the reply for the result of a script.
     *
     * @param disconnected whether a connection broke during the call, so that the client may have repeated the command
     * @throws LockStoreException if the command may have been executed twice, with another result at the first time
     * @throws RedisSystemException with the error of the only lock of a script that reports errors for each lock
     */
    Reply toReply(Command command, Object result, boolean disconnected) {
        if (command instanceof Command.Acquire) {
            return acquired(text(result));
        }
        if (command instanceof Command.Release) {
            Reply reply = released((Long) result);
            // The client may have repeated the command, and the first execution has ended the grant.
            boolean isEnd = reply instanceof Reply.NotOwner || reply instanceof Reply.LeftLine;
            return disconnected && isEnd ? Reply.Released.INSTANCE : reply;
        }
        if (command instanceof Command.Downgrade downgrade) {
            Reply reply = released((Long) result);
            if (disconnected && reply instanceof Reply.NotOwner) {
                throw new LockStoreException(
                        "The connection broke during a command for " + this.keys.describe(downgrade.lock())
                                + ", and the client may have repeated it. It is unknown whether the first execution"
                                + " ended the grant.",
                        null,
                        true,
                        true);
            }
            return reply;
        }
        if (command instanceof Command.Renew) {
            Reply outcome = renewed((List<?>) result, 1).get(0);
            if (outcome instanceof Reply.Failed failed) {
                throw new RedisSystemException(failed.message(), null);
            }
            return outcome;
        }
        if (command instanceof Command.RenewAll renewAll) {
            return new Reply.RenewedAll(
                    renewed((List<?>) result, renewAll.renewals().size()));
        }
        if (command instanceof Command.PublishInstance) {
            return Reply.Done.INSTANCE;
        }
        if (command instanceof Command.FindInstance find) {
            return new Reply.Instance(instance(find.instance(), (List<?>) result));
        }
        if (command instanceof Command.Notify) {
            String refusal = toFailures(((List<?>) result).get(1)).get("PUBLISH");
            if (refusal != null) {
                throw new RedisSystemException(refusal, null);
            }
            return Reply.Done.INSTANCE;
        }
        return new Reply.Described(described((List<?>) result, ((Command.Inspect) command).ownerOnly()));
    }

    /** Returns the errors of commands by their names, from the result of a check. */
    static Map<String, String> toFailures(Object checked) {
        Map<String, String> failures = new LinkedHashMap<>();
        Iterator<?> words = ((List<?>) checked).iterator();
        while (words.hasNext()) {
            failures.put(text(words.next()), text(words.next()));
        }
        return failures;
    }

    private static Reply acquired(String text) {
        if (text.charAt(0) != '-') {
            return new Reply.Granted(Long.parseLong(text));
        }
        String[] parts = text.split(" ", 5);
        String owner = GrantKind.withoutKept(parts[4]);
        return new Reply.Taken(
                -Long.parseLong(parts[0]),
                owner.isEmpty() ? null : owner,
                Long.parseLong(parts[1]),
                Integer.parseInt(parts[3]),
                Long.parseLong(parts[2]));
    }

    private static Reply released(long result) {
        if (result > MAX_CODE) {
            return new Reply.Granted(result);
        }
        if (result < -MAX_CODE) {
            return new Reply.InLine(-result);
        }
        if (result == RELEASED) {
            return Reply.Released.INSTANCE;
        }
        if (result == LEFT_LINE) {
            return Reply.LeftLine.INSTANCE;
        }
        return result == FREE ? Reply.NotOwner.FREE : Reply.NotOwner.TAKEN;
    }

    private static List<Reply> renewed(List<?> failures, int count) {
        List<Reply> outcomes = new ArrayList<>(count);
        for (int i = 0; i < failures.size() && number(failures.get(i)) <= count; i += 2) {
            long position = number(failures.get(i));
            while (outcomes.size() < position - 1) {
                outcomes.add(Reply.Renewed.INSTANCE);
            }
            Object reason = failures.get(i + 1);
            if (reason instanceof Long code) {
                outcomes.add(code == FREE ? Reply.NotOwner.FREE : Reply.NotOwner.TAKEN);
            } else {
                outcomes.add(new Reply.Failed(text(reason)));
            }
        }
        while (outcomes.size() < count) {
            outcomes.add(Reply.Renewed.INSTANCE);
        }
        return outcomes;
    }

    private static @Nullable StoredLock described(List<?> result, boolean ownerOnly) {
        if (result.isEmpty()) {
            return null;
        }
        String owner = text(result.get(0));
        if (ownerOnly) {
            return new StoredLock(GrantKind.isMarker(GrantKind.withoutKept(owner)) ? null : owner, 0, -1, -1);
        }
        List<StoredHolder> holders = new ArrayList<>();
        for (int i = FIRST_HOLDER; i < result.size(); i += HOLDER_VALUES) {
            holders.add(new StoredHolder(
                    text(result.get(i)),
                    number(result.get(i + 1)),
                    number(result.get(i + 2)),
                    number(result.get(i + 3), 0)));
        }
        return new StoredLock(
                holders.isEmpty() ? owner : holders.get(0).acquisitionId(),
                number(result.get(1)),
                number(result.get(2)),
                number(result.get(3), -1),
                ((List<?>) result.get(4)).stream().map(ScriptCommands::text).toList(),
                holders);
    }

    private static @Nullable LockHolder instance(String id, List<?> values) {
        if (values.get(0) == null) {
            return null;
        }
        Long started = numberOrNull(values.get(3));
        return new LockHolder(
                id,
                textOrNull(values.get(0)),
                textOrNull(values.get(1)),
                numberOrNull(values.get(2)),
                started != null ? Instant.ofEpochMilli(started) : null);
    }

    private static @Nullable String textOrNull(@Nullable Object value) {
        return value == null || text(value).isEmpty() ? null : text(value);
    }

    /** Returns the number, or {@code null} if there is none, because another program wrote the field. */
    private static @Nullable Long numberOrNull(@Nullable Object value) {
        try {
            return value != null ? Long.valueOf(text(value)) : null;
        } catch (NumberFormatException ex) {
            return null;
        }
    }

    private static long number(Object value) {
        return (Long) value;
    }

    /** Returns the number; {@code otherwise} if it is out of range, because another program wrote the field. */
    private static int number(Object value, int otherwise) {
        long number = number(value);
        return number >= 0 && number <= Integer.MAX_VALUE ? (int) number : otherwise;
    }

    /** Returns a text of a result. */
    static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : value.toString();
    }
}
