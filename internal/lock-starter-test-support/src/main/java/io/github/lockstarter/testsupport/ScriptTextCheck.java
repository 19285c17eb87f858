package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The check of script texts by a proxy of Alibaba Cloud Tair ({@code script_check_enable}), read strictly: whether
 * comments count as text is not published, so they do, and {@code KEYS} may stand only as {@code KEYS[n]} in the
 * arguments of a call, or on the left of an assignment. The texts of {@link #KEYS_ARRAY} and {@link #LITERAL} are the
 * vendor's; those of the other errors are not published, and only their beginning is known.
 */
final class ScriptTextCheck {

    static final String LITERAL =
            "ERR bad lua script for redis cluster, first parameter of redis.call/redis.pcall must be a"
                    + " single literal string";
    static final String KEYS_ARRAY =
            "ERR bad lua script for redis cluster, all the keys that the script uses should be passed"
                    + " using the KEYS array, and KEYS should not be in expression";
    static final String NESTED = "ERR bad lua script for redis cluster, nested redis.call/redis.pcall";
    static final String UNPACK = "ERR bad lua script for redis cluster, unpack is not supported";
    static final String MESSAGES =
            "ERR bad lua script for redis cluster, publish and subscribe commands are not supported";

    private static final Pattern CALL = Pattern.compile("\\bredis\\s*\\.\\s*p?call\\b\\s*");
    private static final Pattern COMMAND = Pattern.compile("(['\"])(\\w+)\\1");
    private static final Pattern KEY = Pattern.compile("KEYS\\[\\d+]");
    private static final Pattern ANY_KEYS = Pattern.compile("\\bKEYS\\b");
    private static final Pattern ASSIGNED_KEY = Pattern.compile("\\bKEYS\\[\\d+]\\s*=(?!=)");
    private static final Pattern ANY_UNPACK = Pattern.compile("\\bunpack\\b");
    private static final Set<String> OF_MESSAGES =
            Set.of("PUBLISH", "SUBSCRIBE", "PSUBSCRIBE", "PUBSUB", "UNSUBSCRIBE", "PUNSUBSCRIBE");
    private static final Set<String> WITHOUT_KEY = Set.of("TIME", "PING", "ECHO", "INFO", "SELECT", "DBSIZE");
    private static final Set<String> KEYS_ONLY = Set.of("DEL", "UNLINK", "EXISTS", "TOUCH", "MGET");

    private ScriptTextCheck() {}

    /** Returns the error for the first rule that the text violates; null if the proxy accepts it. */
    static @Nullable String errorOf(String text) {
        StringBuilder rest = new StringBuilder(text);
        Matcher call = CALL.matcher(text);
        for (int from = 0; call.find(from); ) {
            List<String> arguments = argumentsAt(text, call.end());
            if (arguments == null) {
                return LITERAL;
            }
            String error = errorOf(arguments);
            if (error != null) {
                return error;
            }
            int end = call.end() + 2 + String.join(",", arguments).length();
            rest.replace(call.start(), end, " ".repeat(end - call.start()));
            from = end;
        }
        if (ANY_KEYS.matcher(ASSIGNED_KEY.matcher(rest).replaceAll("=")).find()) {
            return KEYS_ARRAY;
        }
        return ANY_UNPACK.matcher(text).find() ? UNPACK : null;
    }

    private static @Nullable String errorOf(List<String> arguments) {
        Matcher command = COMMAND.matcher(arguments.get(0).strip());
        if (!command.matches()) {
            return LITERAL;
        }
        String name = command.group(2).toUpperCase(Locale.ROOT);
        if (OF_MESSAGES.contains(name)) {
            return MESSAGES;
        }
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i).strip();
            if (CALL.matcher(argument).find()) {
                return NESTED;
            }
            boolean isKey = KEYS_ONLY.contains(name) || (i == 1 && !WITHOUT_KEY.contains(name));
            if (!KEY.matcher(argument).matches()
                    && (isKey || ANY_KEYS.matcher(argument).find())) {
                return KEYS_ARRAY;
            }
        }
        return null;
    }

    /** Returns the arguments between the parentheses that begin there; null if none begin, or if they do not end. */
    private static @Nullable List<String> argumentsAt(String text, int open) {
        if (open >= text.length() || text.charAt(open) != '(') {
            return null;
        }
        List<String> arguments = new ArrayList<>();
        int start = open + 1;
        int depth = 0;
        char quote = 0;
        for (int i = open; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == '\\') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(' || c == '[' || c == '{') {
                depth++;
            } else if (c == ',' && depth == 1) {
                arguments.add(text.substring(start, i));
                start = i + 1;
            } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
                arguments.add(text.substring(start, i));
                return arguments;
            }
        }
        return null;
    }
}
