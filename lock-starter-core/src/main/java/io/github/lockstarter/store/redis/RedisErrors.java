package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.RedisSystemException;

/**
 * Translates the exceptions of Redis clients into {@link LockStoreException}: whether the command may have been
 * executed, whether a later attempt may succeed, and what to do. Error replies are classified by their text.
 *
 * <p>Errors of commands in a script need special care: Redis 6.2 wraps them in a text about the script, and no
 * server reports a missing permission there with the code {@code NOPERM} that it uses everywhere else.
 */
final class RedisErrors {

    private static final String CREDENTIALS = "Check spring.data.redis.username and password.";

    private static final String PERMISSION =
            "Grant the missing permission to the Redis user; the page docs/reference/redis.md of the manual has the"
                    + " ACL rule.";

    /** The client of the application reconnects only when its connection breaks. */
    private static final String SHARED_REPLICA =
            "The application's connection leads to a replica. After a failover, its client keeps a connection that still"
                    + " answers: close it or restart the application. With Lettuce and"
                    + " distributed-lock.redis.private-connection=true, locks find the master by themselves. Without a"
                    + " failover, change spring.data.redis.* so that it leads to the master.";

    static final String FIND_MASTER =
            "Unless a failover is in progress, change spring.data.redis.* so that it leads to the" + " master.";

    static final String SENTINEL_GIVEN =
            "Set spring.data.redis.sentinel.master and nodes instead of spring.data.redis.host and port.";

    private static final String SENTINEL =
            "Check spring.data.redis.sentinel.master and nodes, which are the Sentinels and not"
                    + " the Redis servers. Sentinels have credentials of their own: spring.data.redis.sentinel.username and"
                    + " spring.data.redis.sentinel.password.";

    /**
     * Prefix that Redis 6.2 adds to an error: the position twice after {@code redis.call}, once in a result of
     * {@code redis.pcall}, and a minus sign before an error that has a code.
     */
    private static final Pattern SCRIPT_PREFIX =
            Pattern.compile("^(ERR Error running script \\(call to \\w+\\): )?(@user_script: ?\\d+: )+-?");

    /** A missing permission in a script: up to Redis 7.0, and in Redis 7.2 and newer and in Valkey. */
    private static final Pattern DENIED_IN_SCRIPT =
            Pattern.compile("The user executing the script |ACL failure in script: ");

    /** Words of the errors of proxies that refuse a script because of its commands for messages. */
    private static final Pattern OF_MESSAGES = Pattern.compile("(?i)publish|pubsub|subscribe");

    /** Meanings of an error for the command. */
    private enum Meaning {
        /** The server rejected the command before it executed anything, and may accept it later. */
        REJECTED,
        /** As above, and the server is not, or may not be, the master. */
        NOT_MASTER,
        /** The error does not go away by itself. The script has written nothing. */
        REFUSED,
        /** The error does not go away by itself. A script that fails half-way keeps what it has written. */
        PERMANENT,
        /** The command may have been executed. */
        UNKNOWN
    }

    /** Kinds of errors by the beginning of their text; the first one that matches counts. */
    private enum Kind {
        NOPERM("NOPERM", Meaning.PERMANENT, PERMISSION),
        AUTHENTICATION("NOAUTH|WRONGPASS", Meaning.PERMANENT, CREDENTIALS),
        REPLICA("READONLY", Meaning.NOT_MASTER, "The server is a replica. " + FIND_MASTER),
        NO_MASTER("MASTERDOWN|NOREPLICAS|ERR WAIT cannot be used", Meaning.NOT_MASTER, ""),
        DEMOTED("UNBLOCKED force", Meaning.UNKNOWN, ""),
        BUSY("LOADING|BUSY|MISCONF", Meaning.REJECTED, ""),
        CLUSTER_DOWN("CLUSTERDOWN|TRYAGAIN", Meaning.REJECTED, ""),
        MOVED(
                "MOVED|ASK",
                Meaning.REJECTED,
                "The slot of the key is at another server of a cluster. If host and port are configured, set"
                        + " spring.data.redis.cluster.nodes instead; otherwise the topology is being refreshed."),
        /** The first access of a script is to its key, so the script has executed nothing. */
        SLOT_IS_MOVING(
                "ERR .*(?i:non local key)",
                Meaning.REJECTED,
                "The cluster is moving the slot of the key to another server. If that does not end, and host and port are"
                        + " configured, set spring.data.redis.cluster.nodes instead."),
        CROSS_SLOT(
                "CROSSSLOT|ERR .*(?i:same slot)|ERR CROSSSLOT",
                Meaning.PERMANENT,
                "The server belongs to a cluster: if the cluster has several shards, set"
                        + " spring.data.redis.cluster.nodes instead of host and port. A single shard, or a proxy in"
                        + " front of several, needs no change."),
        FULL("OOM", Meaning.REJECTED, "Raise its maxmemory; locks that are held are still renewed and released."),
        CLIENTS(
                "ERR max number of clients",
                Meaning.REJECTED,
                "Raise its maxclients, or find the clients that open so many connections."),
        FOREIGN_KEY(
                "WRONGTYPE",
                Meaning.REFUSED,
                "The key belongs to something else: choose another distributed-lock.key-prefix or lock"
                        + " name, or delete the key."),
        LOCKKIND("LOCKKIND", Meaning.REFUSED, "Use different names for a lock and for a semaphore."),
        LOCKLIMIT("LOCKLIMIT", Meaning.REFUSED, "Distribute the holders over several locks, for example by a key."),
        COMMAND(
                "(ERR )?(?i:unknown (redis )?command|unsupported command)",
                Meaning.PERMANENT,
                "A command that locks use is missing: the server is older than Redis 6.2, rename-command hides it, or a"
                        + " proxy does not support it. The log names each at the start."),
        SCRIPT_TEXT(
                "ERR (bad lua script|command eval not support|for redis cluster, eval)",
                Meaning.REFUSED,
                "A proxy rejects scripts by their text. Switch this check off (Tair and ApsaraDB: the parameter"
                        + " script_check_enable), or connect without the proxy."),
        NOT_FROM_SCRIPT(
                "(ERR )?This Redis command is not allowed from script",
                Meaning.PERMANENT,
                "The service forbids a command in scripts; the page docs/reference/redis.md of the manual lists the"
                        + " commands that locks need. The log names each at the start."),
        /** The services that answer so execute the next attempt. */
        INTERNAL("(ERR )?(?i:internal (server )?error)", Meaning.UNKNOWN, ""),
        ERROR("ERR ", Meaning.PERMANENT, "Check that the server is Redis 6.2 or newer, or Valkey, and allows scripts."),
        /** A proxy has no reply of the server. */
        UPSTREAM("upstream |no upstream", Meaning.UNKNOWN, ""),
        OTHER("", Meaning.UNKNOWN, "");

        private final Pattern start;

        private final Meaning meaning;

        private final String remedy;

        Kind(String start, Meaning meaning, String remedy) {
            this.start = Pattern.compile(start);
            this.meaning = meaning;
            this.remedy = remedy;
        }

        /** Returns the kind of an error, whose text may be wrapped. */
        static Kind of(String message) {
            String error = unwrap(message);
            return isMissingPermission(error)
                    ? NOPERM
                    : KINDS.stream()
                            .filter(each -> each.start.matcher(error).lookingAt())
                            .findFirst()
                            .orElse(OTHER);
        }
    }

    /** The exceptions of Lettuce and Jedis for error replies. By name, because a client may be absent. */
    private static final Set<String> ERROR_REPLIES = Set.of(
            "io.lettuce.core.RedisCommandExecutionException", "redis.clients.jedis.exceptions.JedisDataException");

    /** Initializes the enums together with this class. */
    private static final List<Kind> KINDS = List.of(Kind.values());

    private RedisErrors() {}

    /**
     * Has no effect, but initializes this class and the classes of the JDK that it uses. If that failed later, because
     * the stack of the first thread that has an error is exhausted, or the heap is full, the class could not be used
     * any more.
     */
    static void load() {
        Kind unused = Kind.of("");
    }

    /**
     * Translates the failure of a command.
     *
     * @param ex what the client threw
     * @param servers the servers as messages name them, without credentials
     * @param subject what the command was for, such as {@code lock 'a'}
     * @param executedOnce false over the application's connection, whose client may have repeated the command: a
     *     rejection may then be the reply to the second execution, after the first one succeeded
     * @param connectFailure why the last attempt to connect failed, or {@code null} if it did not fail or is not known
     */
    static LockStoreException translate(
            Throwable ex, String servers, String subject, boolean executedOnce, @Nullable Throwable connectFailure) {
        String words = String.valueOf(ex.getMessage());
        boolean isAnswer = false;
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            String reply = String.valueOf(cause.getMessage());
            String message = unwrap(reply);
            Kind kind = Kind.of(reply);
            if (kind == Kind.OTHER && isErrorReply(cause)) {
                // The server has answered, with a code that is not known here.
                kind = Kind.ERROR;
            }
            if (kind.meaning != Meaning.UNKNOWN) {
                boolean mayPass = kind.meaning == Meaning.REJECTED || kind.meaning == Meaning.NOT_MASTER;
                boolean isExecuted = kind.meaning == Meaning.PERMANENT && !isDeniedAtOnce(reply);
                String remedy = kind == Kind.REPLICA && !executedOnce ? SHARED_REPLICA : kind.remedy;
                String problem = sentence(message) + ' ' + remedy;
                return new LockStoreException(
                        servers + " rejected a command for " + subject + ": " + problem.strip(),
                        ex,
                        isExecuted || !executedOnce,
                        mayPass);
            }
            if (isErrorReply(cause)) {
                words = message;
                isAnswer = true;
            }
            if (message.contains("Commands are rejected")) {
                // The client does not report why it is not connected; the last attempt to connect does.
                return notConnected(servers, subject, connectFailure != null ? connectFailure : ex);
            }
            if (message.contains("Unable to connect")) {
                return notConnected(servers, subject, ex);
            }
        }
        // CancellationException is an IllegalStateException, but a cancelled command may have been executed.
        if (ex instanceof IllegalStateException && !(ex instanceof CancellationException)) {
            return notConnected(servers, subject, ex);
        }
        String reason = isInterrupt(ex) ? "the calling thread was interrupted" : words;
        return new LockStoreException(
                servers + (isAnswer ? " failed to execute" : " did not answer") + " a command for " + subject + " ("
                        + reason + "). It is unknown whether the command was executed.",
                ex,
                true,
                true);
    }

    /**
     * Creates the exception for a command that was not sent because there is no connection.
     *
     * @param cause why there is none, or {@code null} if that is not known
     */
    static LockStoreException notConnected(String servers, String subject, @Nullable Throwable cause) {
        String problem = cause != null ? rootMessage(cause) : "";
        return notSent(
                subject,
                servers + " is not connected"
                        + (problem.isEmpty() ? "" : " (" + problem + ')')
                        + "; a connection is being opened in the background. "
                        + remedyOfConnectFailure(problem, cause),
                cause);
    }

    /** Creates the exception for a command that was not sent, and may be sent later. */
    static LockStoreException notSent(String subject, String reason, @Nullable Throwable cause) {
        return new LockStoreException("A command for " + subject + " was not sent: " + reason, cause, false, true);
    }

    /** Creates the exception for a connection that collects commands instead of executing them. */
    static LockStoreException inTransaction(String subject) {
        return new LockStoreException(
                "Redis did not execute a command for " + subject + ": the application's connection is in a transaction"
                        + " or a pipeline, although its factory was asked for a new one. Configure a factory that does"
                        + " not share connections between its callers.",
                null,
                true,
                false);
    }

    /** Returns why a connection could not be opened, in one line, followed by what to do about it. */
    static String connectFailure(Throwable ex) {
        String problem = rootMessage(ex);
        return sentence(problem) + ' ' + remedyOfConnectFailure(problem, ex);
    }

    /**
     * Returns whether a failure to connect does not contain its reason. Lettuce closes a connection whose handshake was
     * rejected; if that happens before its own listener runs, the listener fails without the error reply.
     */
    static boolean isUnexplained(Throwable ex) {
        return rootMessage(ex).equals("RedisHandshakeHandler not registered");
    }

    /** Returns the message of the root cause in one line. */
    static String rootMessage(Throwable ex) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
                .strip()
                .replaceAll("\\s+", " ");
    }

    /** Returns whether the calling thread was interrupted while it waited, which shows nothing about the connection. */
    static boolean isInterrupt(Throwable ex) {
        return ex instanceof InterruptedException || (ex.getCause() != null && isInterrupt(ex.getCause()));
    }

    private static String sentence(String message) {
        return message.endsWith(".") ? message : message + '.';
    }

    /** Returns what to do about a connection that could not be opened, of which a Sentinel may be the reason. */
    private static String remedyOfConnectFailure(String problem, @Nullable Throwable failure) {
        if (failure != null
                && isAny(failure, message -> message.toLowerCase(Locale.ROOT).contains("sentinel"))) {
            return SENTINEL;
        }
        if (problem.contains("WRONGPASS") || problem.contains("NOAUTH")) {
            return CREDENTIALS;
        }
        // Lettuce itself sends commands such as CLUSTER NODES.
        if (problem.contains("NOPERM")) {
            return PERMISSION;
        }
        if (problem.contains("cluster support disabled")) {
            return "The server does not belong to a cluster: set spring.data.redis.host and port instead of"
                    + " cluster.nodes.";
        }
        if (problem.toLowerCase(Locale.ROOT).contains("initialization timed out")) {
            return "The port is open, but Redis did not answer: check spring.data.redis.ssl.enabled and port, and"
                    + " whether Redis is overloaded or paused.";
        }
        return "Check spring.data.redis.* and whether Redis runs.";
    }

    // ---- Error replies

    /** Returns the text of the error reply that has caused the exception, or {@code null} if there was no reply. */
    static @Nullable String errorReply(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (isErrorReply(cause)) {
                return unwrap(String.valueOf(cause.getMessage()));
            }
        }
        return null;
    }

    /**
     * Returns whether the server, or a proxy, has refused a script because of commands for messages that its text
     * contains. It has executed nothing then.
     */
    static boolean isMessageRefused(Throwable ex) {
        // Texts of other exceptions contain names of locks and hosts.
        String reply = errorReply(ex);
        return reply != null
                && (Kind.of(reply) == Kind.SCRIPT_TEXT
                        || (isUnsupported(reply) && OF_MESSAGES.matcher(reply).find()));
    }

    /**
     * Returns whether an error reply means that the server, or a proxy, refuses the command until something changes.
     */
    static boolean isRefused(Throwable ex) {
        String reply = errorReply(ex);
        return reply != null && isRefusal(reply);
    }

    /** Returns whether an error reply means that the server does not have the command. */
    static boolean isMissingCommand(Throwable ex) {
        String reply = errorReply(ex);
        return reply != null && Kind.of(reply) == Kind.COMMAND;
    }

    static boolean isRefusal(String error) {
        return isUnsupported(error) || isMissingPermission(error);
    }

    /**
     * Returns the error without the text about the script that Redis 6.2 puts before it, and without spaces around it.
     */
    static String unwrap(String message) {
        return SCRIPT_PREFIX.matcher(message).replaceFirst("").strip();
    }

    /** Returns whether the error means that the user lacks a permission. */
    static boolean isMissingPermission(String message) {
        return unwrap(message).startsWith("NOPERM")
                || DENIED_IN_SCRIPT.matcher(message).find();
    }

    /**
     * Returns whether the user lacks a permission for the command itself, in which case nothing was executed. Returns
     * false if a command in a script was rejected.
     */
    private static boolean isDeniedAtOnce(String message) {
        return message.startsWith("NOPERM")
                && !DENIED_IN_SCRIPT.matcher(message).find();
    }

    /**
     * Returns whether a client threw the exception for an error reply, or it was created for an error within a result.
     */
    static boolean isErrorReply(Throwable ex) {
        for (Class<?> type = ex.getClass(); type != null; type = type.getSuperclass()) {
            if (ERROR_REPLIES.contains(type.getName())) {
                return true;
            }
        }
        return ex instanceof RedisSystemException && ex.getCause() == null;
    }

    /** Returns whether all connections of a pool were in use. */
    static boolean isExhausted(Throwable ex) {
        return isAny(ex, message -> message.contains("idle object") || message.contains("xhausted"));
    }

    /**
     * Returns whether the server, or a proxy, does not have the command or executes it in another way than expected.
     */
    static boolean isUnsupported(String error) {
        Kind kind = Kind.of(error);
        return kind == Kind.COMMAND
                || kind == Kind.SCRIPT_TEXT
                || kind == Kind.NOT_FROM_SCRIPT
                || kind == Kind.ERROR
                || kind == Kind.OTHER;
    }

    /**
     * Returns whether the exception or one of its causes is an error reply of a server that may not be the master any
     * more.
     */
    static boolean isNotMaster(Throwable ex) {
        return isAny(ex, message -> {
            Kind kind = Kind.of(message);
            return kind.meaning == Meaning.NOT_MASTER || kind == Kind.DEMOTED;
        });
    }

    /** Returns whether the exception or one of its causes reports keys of different slots, or a server of a cluster. */
    static boolean isCrossSlot(Throwable ex) {
        return isAny(ex, message -> {
            Kind kind = Kind.of(message);
            return kind == Kind.CROSS_SLOT
                    || kind == Kind.SLOT_IS_MOVING
                    || kind == Kind.MOVED
                    || kind == Kind.CLUSTER_DOWN;
        });
    }

    /** Returns whether the message of the exception or of one of its causes fulfils the condition. */
    private static boolean isAny(Throwable ex, Predicate<String> test) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (test.test(String.valueOf(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }
}
