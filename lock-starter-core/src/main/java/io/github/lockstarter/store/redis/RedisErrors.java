package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Puts what the client threw into our terms: was it executed, may it succeed later, what should somebody do. */
final class RedisErrors {

    /** Codes of a server that refused before it executed anything. */
    private static final List<String> REFUSED = List.of(
            "OOM",
            "LOADING",
            "BUSY",
            "READONLY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MOVED",
            "ASK",
            "NOREPLICAS",
            "MISCONF",
            "ERR max number of clients");

    /** Codes that waiting does not mend. */
    private static final List<String> FATAL =
            List.of(ScriptErrors.NOPERM, "WRONGTYPE", "NOAUTH", "WRONGPASS", "CROSSSLOT", "ERR ");

    /** Codes of a server that another one has replaced, or may have: who asks for the master again finds that one. */
    private static final List<String> REPLACED = List.of("READONLY", "MASTERDOWN", "NOREPLICAS");

    /** Codes of a call with several keys that may have been refused because of one of them. */
    private static final List<String> OF_ONE_KEY = List.of(ScriptErrors.NOPERM, "WRONGTYPE", "ERR ");

    /** Codes that only a cluster has. */
    private static final List<String> OF_CLUSTER = List.of("CROSSSLOT", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN");

    /** How proxies in front of clusters say it, in lower case. */
    private static final List<String> OF_SLOTS = List.of("crossslot", "same slot", "non local key");

    private RedisErrors() {}

    /** Translates what came out of a command over that link; the name is what messages call the lock. */
    static LockStoreException translate(Throwable ex, String shownName, RedisLink link) {
        return translate(ex, subject(link.servers(), shownName), link.isPrivate(), link.trouble());
    }

    /**
     * Translates.
     *
     * @param executedOnce false for a client that may have repeated the command: then a refusal may be the answer to the
     *     second execution, after the first one did its work
     */
    static LockStoreException translate(Throwable ex, String shownName, boolean executedOnce) {
        return translate(ex, subject("Redis", shownName), executedOnce, null);
    }

    private static LockStoreException translate(
            Throwable ex, String subject, boolean executedOnce, @Nullable Throwable trouble) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            String message = ScriptErrors.unwrap(String.valueOf(cause.getMessage()));
            if (codeIn(message, REFUSED) != null) {
                return new LockStoreException(refusal(subject, message), ex, !executedOnce, true);
            }
            String code = codeIn(message, FATAL);
            if (code != null) {
                // A script that fails half-way leaves what it had written: unknown, for the safe side.
                boolean unknown = !executedOnce || !code.equals("WRONGTYPE");
                return new LockStoreException(refusal(subject, message), ex, unknown, false);
            }
            if (message.contains("Commands are rejected")) {
                // The client does not say why it is not connected; whoever tries to connect knows.
                return notConnectedBecause(subject, trouble != null ? trouble : ex);
            }
            if (message.contains("Unable to connect")) {
                return notConnectedBecause(subject, ex);
            }
        }
        // A cancelled command is one of those too, and may have been executed.
        if (ex instanceof IllegalStateException && !(ex instanceof CancellationException)) {
            return notConnectedBecause(subject, ex);
        }
        String reason = isInterrupt(ex) ? "the calling thread was interrupted" : String.valueOf(ex.getMessage());
        return new LockStoreException(
                subject + "gave no answer (" + reason + "). Whether the command was executed is not known.",
                ex,
                true,
                true);
    }

    /** Whether the calling thread was interrupted while it waited, which says nothing about the connection. */
    static boolean isInterrupt(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }

    private static String refusal(String subject, String message) {
        return subject + "refused: " + withRemedy(message);
    }

    /** The error of a server, followed by what can be done about it, if anything. */
    static String withRemedy(String error) {
        String message = ScriptErrors.unwrap(error);
        return (sentence(message) + ' ' + RedisRemedies.ofAnswer(message)).strip();
    }

    /** Whether the answer says that another server than the one that gave it may be the master by now. */
    static boolean isOfReplaced(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (isOfReplaced(String.valueOf(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    static boolean isOfReplaced(String message) {
        return codeIn(ScriptErrors.unwrap(message), REPLACED) != null;
    }

    /** Whether a call with several keys was refused because of their slots, or by a server that has slots. */
    static boolean isOfSlots(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (isOfSlots(String.valueOf(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a call with several keys was refused because of one of them, perhaps, and not because of the server. */
    static boolean mayConcernOneKey(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            String message = ScriptErrors.unwrap(String.valueOf(cause.getMessage()));
            if (codeIn(message, REFUSED) == null && codeIn(message, OF_ONE_KEY) != null) {
                return true;
            }
        }
        return false;
    }

    static boolean isOfSlots(String message) {
        String text = message.toLowerCase(Locale.ROOT);
        return codeIn(ScriptErrors.unwrap(message), OF_CLUSTER) != null
                || OF_SLOTS.stream().anyMatch(text::contains);
    }

    static String sentence(String message) {
        return message.endsWith(".") ? message : message + '.';
    }

    /** There is no connection; the link knows why the last attempt to open one failed, if there was one. */
    static LockStoreException notConnected(String shownName, RedisLink link) {
        return notConnectedBecause(subject(link.servers(), shownName), link.trouble());
    }

    private static LockStoreException notConnectedBecause(String subject, @Nullable Throwable cause) {
        String problem = cause != null ? rootMessage(cause) : "";
        return new LockStoreException(
                subject + "is not connected" + (problem.isEmpty() ? "" : " (" + problem + ')')
                        + "; a connection is being opened in the background. " + RedisRemedies.ofConnecting(problem),
                cause,
                false,
                true);
    }

    /** What went wrong in the end, in one line. */
    static String rootMessage(Throwable ex) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
                .strip()
                .replaceAll("\\s+", " ");
    }

    private static String subject(String servers, String shownName) {
        return servers + ", asked for lock '" + shownName + "', ";
    }

    /** The connection collects commands instead of executing them. */
    static LockStoreException inTransaction(String shownName) {
        return new LockStoreException(
                "Redis gave no answer for lock '" + shownName + "': the application's connection is in a transaction"
                        + " or a pipeline. Set distributed-lock.redis.private-connection=true.",
                null,
                true,
                false);
    }

    private static @Nullable String codeIn(String message, List<String> codes) {
        boolean missingPermission = ScriptErrors.isMissingPermission(message);
        for (String code : codes) {
            if (missingPermission ? code.equals(ScriptErrors.NOPERM) : message.startsWith(code)) {
                return code;
            }
        }
        return null;
    }
}
