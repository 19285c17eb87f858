package io.github.lockstarter.store.redis;

import io.github.lockstarter.fixture.ServerClock;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.store.redis.script.LuaScript.Variant;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Executes commands by the scripts on a real Redis, without the client of the library, and reads what they have left
 * there. Instances subscribe to their inboxes by connections of this store.
 */
final class ScriptedStore implements AutoCloseable {

    /** Name of the additional field with the remaining milliseconds of the key. */
    static final String TTL = "ttl";

    /** Begins the inbox of an entry if no server has counted the inbox. */
    static final String NOT_COUNTED = ".";

    private final LockKeys keys = new LockKeys("lock", LoggedNames.WITH_KEYS);

    /** In RESP3, so that messages come over the same connection as replies. */
    private final RedisCli redis;

    /** Its subscriptions count as receivers, which those by patterns do not. */
    private final RedisCli subscriber;

    private final Set<String> subscribed = new HashSet<>();

    /** Whether the scripts have {@code TIME}; otherwise they know milliseconds only. */
    final boolean hasTime;

    private final Map<RedisScript<Object>, String> digests = new HashMap<>();

    /**
     * What a command has done.
     *
     * @param micros the time of the server
     * @param outcome the reply, or the code of the error
     * @param messages the messages in the order of their publication, each with its channel
     * @param stored the fields of the locks, in their order, and {@link #TTL}; empty: the key does not exist
     */
    record Step(long micros, Object outcome, List<String> messages, List<Map<String, String>> stored) {}

    /** Uses the texts of scripts with {@code TIME}, or those without it. */
    ScriptedStore(RedisServer server, boolean hasTime) {
        this.hasTime = hasTime;
        this.redis = server.cli();
        this.subscriber = server.cli();
        for (LuaScript script : LuaScript.values()) {
            for (boolean returnsMessages : new boolean[] {true, false}) {
                RedisScript<Object> each = script.in(Variant.needed(returnsMessages, this.hasTime));
                this.digests.put(each, (String) this.redis.command("SCRIPT", "LOAD", each.getScriptAsString()));
            }
        }
        // Only a command or the test removes what has expired, when the clock is set back afterwards.
        this.redis.command("DEBUG", "SET-ACTIVE-EXPIRE", "0");
        this.redis.command("HELLO", "3");
        this.redis.command("PSUBSCRIBE", this.keys.channelOf("*"));
    }

    LockKeys keys() {
        return this.keys;
    }

    /**
     * Executes a command, and reads the locks and the messages afterwards.
     *
     * @param returnsMessages whether the script returns the messages instead of publishing them
     */
    Step execute(Command command, ScriptCommands codec, String inbox, boolean returnsMessages, List<String> locks) {
        String claim = codec.polling.substring(0, codec.polling.length() - 1);
        String waiting = claim + (inbox.startsWith(NOT_COUNTED) ? "" : ":") + inbox;
        ScriptCommands.Call call = codec.callOf(command, waiting);
        RedisScript<Object> script = call.script.in(Variant.needed(returnsMessages, this.hasTime));
        String digest = this.digests.get(script);
        List<String> words = new ArrayList<>(List.of("EVALSHA", digest, Integer.toString(call.keys.size())));
        words.addAll(call.keys);
        words.addAll(List.of(call.arguments));
        this.redis.send("TIME");
        this.redis.send(words.toArray(String[]::new));
        for (String lock : locks) {
            this.redis.send("HGETALL", this.keys.keyOf(lock));
            this.redis.send("PTTL", this.keys.keyOf(lock));
        }
        List<String> messages = new ArrayList<>();
        List<Object> replies = new ArrayList<>();
        while (replies.size() < 2 * locks.size() + 2) {
            Object reply = reply();
            if (reply instanceof List<?> list && !list.isEmpty() && "pmessage".equals(list.get(0))) {
                messages.add(list.get(2) + " <- " + list.get(3));
            } else {
                replies.add(reply);
            }
        }
        List<Map<String, String>> stored = new ArrayList<>();
        for (int i = 2; i < replies.size(); i += 2) {
            Map<String, String> fields = new TreeMap<>();
            ((Map<?, ?>) replies.get(i)).forEach((name, value) -> fields.put((String) name, (String) value));
            if (!fields.isEmpty()) {
                fields.put(TTL, "remainingMillis=" + replies.get(i + 1));
            }
            stored.add(fields);
        }
        long micros = ServerClock.timeIn(replies.get(0));
        Object result = replies.get(1);
        if (script.getResultType() != call.script.getResultType() && result instanceof List<?> list) {
            for (int i = 1; i < list.size(); i += 2) {
                messages.add(channelOf((String) list.get(i)) + " <- " + list.get(i + 1));
            }
            result = list.get(0);
        }
        return new Step(micros, outcome(codec, command, result), messages, stored);
    }

    private Object reply() {
        try {
            return Objects.requireNonNull(this.redis.read());
        } catch (RedisErrorException ex) {
            return ex;
        }
    }

    private static Object outcome(ScriptCommands codec, Command command, Object result) {
        if (result instanceof RedisErrorException error) {
            String message = String.valueOf(error.getMessage());
            return message.startsWith("LOCK") ? message.substring(0, message.indexOf(' ')) : message;
        }
        return codec.toReply(command, result, false);
    }

    /** Subscribes an instance to its inbox, or ends its subscription. */
    void subscribe(String inbox, boolean subscribes) {
        if (subscribes == this.subscribed.contains(inbox)) {
            return;
        }
        String command = subscribes ? "subscribe" : "unsubscribe";
        this.subscriber.send(command, this.keys.channelOf(inbox));
        List<?> reply;
        do {
            reply = (List<?>) Objects.requireNonNull(this.subscriber.read());
        } while (!command.equals(reply.get(0)));
        boolean unused = subscribes ? this.subscribed.add(inbox) : this.subscribed.remove(inbox);
    }

    /** Returns the channel of an inbox, which may be one that no server has counted. */
    String channelOf(String inbox) {
        return this.keys.channelOf(inbox.startsWith(NOT_COUNTED) ? inbox.substring(1) : inbox);
    }

    boolean isSubscribed(String inbox) {
        return this.subscribed.contains(inbox);
    }

    /** Returns the field of the waiting line, without what the scripts would change. */
    String line(String lock) {
        return String.valueOf(this.redis.command("HGET", this.keys.keyOf(lock), "q"));
    }

    /** Stores a lock with these fields. */
    void write(String lock, Map<String, String> fields, long ttlMillis) {
        String key = this.keys.keyOf(lock);
        fields.forEach((name, value) -> this.redis.send("HSET", key, name, value));
        fields.forEach((name, value) -> reply());
        this.redis.command("PEXPIRE", key, Long.toString(ttlMillis));
    }

    void delete(String lock) {
        this.redis.command("DEL", this.keys.keyOf(lock));
    }

    @Override
    public void close() {
        this.redis.close();
        this.subscriber.close();
    }
}
