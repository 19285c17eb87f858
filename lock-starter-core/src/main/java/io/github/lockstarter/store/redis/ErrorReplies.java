package io.github.lockstarter.store.redis;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Classifies error replies by their text. Errors of commands inside of a script need special care: Redis 6.2 wraps them
 * in a text about the script, and no server reports a missing permission there with the code {@code NOPERM} that it
 * uses everywhere else.
 */
final class ErrorReplies {

    /** Code of an error that is caused by a missing permission. */
    static final String NOPERM = "NOPERM";

    /** Reply of a replica to {@code WAIT}. */
    private static final String WAIT_ON_REPLICA = "ERR WAIT cannot be used";

    /** Codes of a server that rejected the command before it executed anything, and may accept it later. */
    private static final List<String> REJECTED = List.of(
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
            "ERR max number of clients",
            ErrorReplies.WAIT_ON_REPLICA);

    /** Codes of errors that do not go away by themselves. */
    private static final List<String> PERMANENT =
            List.of(NOPERM, "WRONGTYPE", "LOCKKIND", "LOCKLIMIT", "NOAUTH", "WRONGPASS", "CROSSSLOT", "ERR ");

    /** Codes of a server that is not, or may not be, the master any more. */
    private static final List<String> NOT_MASTER =
            List.of("READONLY", "MASTERDOWN", "NOREPLICAS", "UNBLOCKED force", ErrorReplies.WAIT_ON_REPLICA);

    /** Codes that only servers of a cluster use. */
    private static final List<String> OF_CLUSTER = List.of("CROSSSLOT", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN");

    /** Phrases, in lower case, with which proxies in front of a cluster report keys of different slots. */
    private static final List<String> CROSS_SLOT_PHRASES = List.of("crossslot", "same slot", "non local key");

    /**
     * Prefix that Redis 6.2 adds to an error: the position twice after {@code redis.call}, once in a result of
     * {@code redis.pcall}, and a minus sign before an error that has a code.
     */
    private static final Pattern SCRIPT_PREFIX =
            Pattern.compile("^(ERR Error running script \\(call to \\w+\\): )?(@user_script: ?\\d+: )+-?");

    /** A missing permission inside of a script, up to Redis 7.0. */
    private static final String DENIED_BEFORE_7_2 = "The user executing the script ";

    /** A missing permission inside of a script, in Redis 7.2 and newer and in Valkey. */
    private static final String DENIED = "ACL failure in script: ";

    private ErrorReplies() {}

    /**
     * Returns the error without the text about the script that Redis 6.2 puts before it, and without spaces around it.
     */
    static String unwrap(String message) {
        return SCRIPT_PREFIX.matcher(message).replaceFirst("").strip();
    }

    /** Returns the code of an error: its first word, or {@link #NOPERM} for every form of a missing permission. */
    static String codeOf(String message) {
        String error = unwrap(message);
        int end = error.indexOf(' ');
        return isMissingPermission(error) ? NOPERM : end < 0 ? error : error.substring(0, end);
    }

    /** Returns whether the error means that the user lacks a permission. */
    static boolean isMissingPermission(String message) {
        String error = unwrap(message);
        return error.startsWith(NOPERM) || error.contains(DENIED_BEFORE_7_2) || error.contains(DENIED);
    }

    /**
     * Returns whether the user lacks a permission for the command itself, so that nothing was executed; false if a
     * command inside of a script was rejected.
     */
    static boolean isDeniedAtOnce(String message) {
        return message.startsWith(NOPERM) && !message.contains(DENIED_BEFORE_7_2) && !message.contains(DENIED);
    }

    /**
     * Returns whether the command was rejected before anything was executed, for a reason that may go away by itself.
     */
    static boolean isRejection(String message) {
        return codeIn(message, REJECTED) != null;
    }

    /** Returns the code of an error that does not go away by itself; null if the message is no such error. */
    static @Nullable String permanentCode(String message) {
        return codeIn(message, PERMANENT);
    }

    /** Returns whether the exception or one of its causes is an error reply of a server that may not be the master any more. */
    static boolean isNotMaster(Throwable ex) {
        return isAny(ex, message -> codeIn(unwrap(message), NOT_MASTER) != null);
    }

    /** Returns whether the exception or one of its causes reports keys of different slots, or a server of a cluster. */
    static boolean isCrossSlot(Throwable ex) {
        return isAny(ex, ErrorReplies::isCrossSlot);
    }

    /** Returns whether the error reports keys of different slots, or comes from a server of a cluster. */
    static boolean isCrossSlot(String message) {
        String text = message.toLowerCase(Locale.ROOT);
        return codeIn(unwrap(message), OF_CLUSTER) != null
                || CROSS_SLOT_PHRASES.stream().anyMatch(text::contains);
    }

    /** Returns whether the message of the exception or of one of its causes fulfils the condition. */
    static boolean isAny(Throwable ex, Predicate<String> test) {
        for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
            if (test.test(String.valueOf(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String codeIn(String message, List<String> codes) {
        boolean missingPermission = isMissingPermission(message);
        for (String code : codes) {
            if (missingPermission ? code.equals(NOPERM) : message.startsWith(code)) {
                return code;
            }
        }
        return null;
    }
}
