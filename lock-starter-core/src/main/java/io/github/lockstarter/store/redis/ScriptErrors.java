package io.github.lockstarter.store.redis;

import java.util.regex.Pattern;

/**
 * Reads the errors of commands that failed inside of a script. Redis 6.2 reports them within a text about the script, and no
 * server reports a missing permission there with the code NOPERM that it has everywhere else.
 */
final class ScriptErrors {

    /** The code of an error because of a missing permission. */
    static final String NOPERM = "NOPERM";

    /**
     * What Redis 6.2 puts before an error: twice after {@code redis.call}, once in what {@code redis.pcall} returns, and a
     * minus before what has a code.
     */
    private static final Pattern BEFORE_ERROR =
            Pattern.compile("^(ERR Error running script \\(call to \\w+\\): )?(@user_script: ?\\d+: )+-?");

    /** Up to Redis 7.0. */
    private static final String REFUSED_TO_USER = "The user executing the script ";

    /** Redis 7.2 and newer, and Valkey. */
    private static final String REFUSED_BY_ACL = "ACL failure in script: ";

    private ScriptErrors() {}

    /** Returns the error as a server newer than Redis 6.2 would report it. */
    static String unwrap(String message) {
        return BEFORE_ERROR.matcher(message).replaceFirst("").strip();
    }

    /** Whether an error means that the user lacks a permission. */
    static boolean isMissingPermission(String message) {
        String error = unwrap(message);
        return error.startsWith(NOPERM) || error.contains(REFUSED_TO_USER) || error.contains(REFUSED_BY_ACL);
    }

    /** Returns the code of an error: its first word, or {@link #NOPERM} for each way to report a missing permission. */
    static String codeOf(String message) {
        String error = unwrap(message);
        int end = error.indexOf(' ');
        return isMissingPermission(error) ? NOPERM : end < 0 ? error : error.substring(0, end);
    }
}
