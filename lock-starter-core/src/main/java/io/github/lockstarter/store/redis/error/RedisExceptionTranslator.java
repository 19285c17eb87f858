package io.github.lockstarter.store.redis.error;

import io.github.lockstarter.LockStoreException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Translates the exceptions of Redis clients into {@link LockStoreException}: whether the command may have been
 * executed, whether a later attempt may succeed, and what to do.
 */
public final class RedisExceptionTranslator {

    private RedisExceptionTranslator() {}

    /**
     * Translates the failure of a command.
     *
     * @param ex what the client threw
     * @param servers the servers as messages name them, without credentials
     * @param subject what the command was for, such as {@code lock 'a'}
     * @param executedOnce false if the client may have repeated the command: a rejection may then be the reply to the
     *     second execution, after the first one succeeded
     * @param connectFailure why the last attempt to connect failed; null if it did not fail or is not known
     */
    public static LockStoreException translate(
            Throwable ex, String servers, String subject, boolean executedOnce, @Nullable Throwable connectFailure) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            String message = ErrorReplies.unwrap(String.valueOf(cause.getMessage()));
            if (ErrorReplies.isRejection(message)) {
                return new LockStoreException(rejection(servers, subject, message), ex, !executedOnce, true);
            }
            String code = ErrorReplies.permanentCode(message);
            if (code != null) {
                // A script that fails half-way keeps what it has written, so the outcome counts as unknown.
                boolean refused = code.equals("WRONGTYPE")
                        || code.startsWith("LOCK")
                        || ErrorReplies.isDeniedAtOnce(String.valueOf(cause.getMessage()));
                boolean unknown = !executedOnce || !refused;
                return new LockStoreException(rejection(servers, subject, message), ex, unknown, false);
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
        String reason = isInterrupt(ex) ? "the calling thread was interrupted" : String.valueOf(ex.getMessage());
        return new LockStoreException(
                servers + " did not answer a command for " + subject + " (" + reason
                        + "). It is unknown whether the command was executed.",
                ex,
                true,
                true);
    }

    /**
     * Creates the exception for a command that was not sent because there is no connection.
     *
     * @param cause why there is none; null if that is not known
     */
    public static LockStoreException notConnected(String servers, String subject, @Nullable Throwable cause) {
        String problem = cause != null ? rootMessage(cause) : "";
        return new LockStoreException(
                "A command for " + subject + " was not sent: " + servers + " is not connected"
                        + (problem.isEmpty() ? "" : " (" + problem + ')')
                        + "; a connection is being opened in the background. "
                        + Remedies.ofConnectFailure(problem, isOfSentinel(cause)),
                cause,
                false,
                true);
    }

    /** Creates the exception for a connection that collects commands instead of executing them. */
    public static LockStoreException inTransaction(String subject) {
        return new LockStoreException(
                "Redis did not execute a command for " + subject + ": the application's connection is in a transaction"
                        + " or a pipeline. Set distributed-lock.redis.private-connection=true.",
                null,
                true,
                false);
    }

    private static String rejection(String servers, String subject, String message) {
        return servers + " rejected a command for " + subject + ": " + withRemedy(message);
    }

    /** Returns the text of an error reply as a sentence, followed by what to do about it if that is known. */
    public static String withRemedy(String error) {
        String message = ErrorReplies.unwrap(error);
        return (sentence(message) + ' ' + Remedies.ofReply(message)).strip();
    }

    /** Returns why a connection could not be opened, in one line, followed by what to do about it. */
    public static String connectFailure(Throwable ex) {
        String problem = rootMessage(ex);
        return sentence(problem) + ' ' + Remedies.ofConnectFailure(problem, isOfSentinel(ex));
    }

    private static boolean isOfSentinel(@Nullable Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("sentinel")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a failure to connect does not contain its reason. Lettuce closes a connection whose handshake was
     * rejected; if that happens before its own listener runs, the listener fails without the error reply.
     */
    public static boolean isUnexplained(Throwable ex) {
        return rootMessage(ex).equals("RedisHandshakeHandler not registered");
    }

    /** Returns the message of the root cause in one line. */
    public static String rootMessage(Throwable ex) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
                .strip()
                .replaceAll("\\s+", " ");
    }

    /** Returns whether the calling thread was interrupted while it waited, which tells nothing about the connection. */
    public static boolean isInterrupt(Throwable ex) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }

    private static String sentence(String message) {
        return message.endsWith(".") ? message : message + '.';
    }
}
