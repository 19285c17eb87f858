package io.github.lockstarter.store.redis.script;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The strictest rules that services have published for the texts of scripts, read literally. Works on tokens, so that
 * neither line breaks nor texts that look like code matter.
 */
final class LuaRules {

    enum Violation {
        COMMENT,
        COMMAND_NOT_LITERAL,
        KEY_NOT_LITERAL,
        KEYS_ELSEWHERE,
        KEYS_IN_LOOP,
        NO_SUCH_KEY,
        CALL_AS_VALUE,
        CALL_IN_EXPRESSION,
        MESSAGE,
        UNPACK,
        EVASION
    }

    private static final Pattern TOKEN =
            Pattern.compile("(?s)(?<space>\\s+)|(?<comment>--\\[(=*)\\[.*?\\]\\3\\]|--[^\\n]*)"
                    + "|(?<text>\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|\\[(=*)\\[.*?\\]\\5\\])"
                    + "|(?<name>[A-Za-z_]\\w*)|(?<number>\\d[\\w.]*)|(?<sign>\\.{2,3}|[=~<>]=|//|::|.)");

    private static final Set<String> KEYLESS = Set.of("TIME", "ECHO", "PING");

    private static final Set<String> MESSAGES = Set.of(
            "PUBLISH",
            "SPUBLISH",
            "SUBSCRIBE",
            "PSUBSCRIBE",
            "SSUBSCRIBE",
            "UNSUBSCRIBE",
            "PUNSUBSCRIBE",
            "SUNSUBSCRIBE",
            "PUBSUB");

    /** What reaches commands or keys under another name. */
    private static final Set<String> EVASIONS =
            Set.of("_G", "_ENV", "getfenv", "setfenv", "load", "loadstring", "rawget", "getmetatable", "setmetatable");

    /** A statement follows them. */
    private static final Set<String> BEFORE_STATEMENT =
            Set.of("then", "do", "else", "repeat", "end", ";", ")", "}", "]");

    private static final Set<String> KEYWORDS = Set.of(
            "and",
            "break",
            "do",
            "else",
            "elseif",
            "end",
            "false",
            "for",
            "function",
            "if",
            "in",
            "local",
            "nil",
            "not",
            "or",
            "repeat",
            "return",
            "then",
            "true",
            "until",
            "while",
            "goto");

    /** A statement begins with them, or they end the block in which the call is the last statement. */
    private static final Set<String> AFTER_STATEMENT = Set.of(
            "local",
            "if",
            "for",
            "while",
            "repeat",
            "return",
            "end",
            "else",
            "elseif",
            "until",
            "do",
            "function",
            "break",
            ";",
            "::");

    private final List<String> tokens = new ArrayList<>();

    private final Set<Violation> violations = EnumSet.noneOf(Violation.class);

    /** Positions of {@code KEYS} as the key of a call. */
    private final Set<Integer> keysOfCalls = new HashSet<>();

    private final boolean permitsMessages;

    private final int keys;

    private LuaRules(String script, boolean permitsMessages, int keys) {
        this.permitsMessages = permitsMessages;
        this.keys = keys;
        Matcher matcher = TOKEN.matcher(script);
        while (matcher.find()) {
            if (matcher.group("comment") != null) {
                this.violations.add(Violation.COMMENT);
            } else if (matcher.group("space") == null) {
                this.tokens.add(matcher.group());
            }
        }
    }

    /**
     * Returns the rules that the script violates.
     *
     * @param permitsMessages whether commands that publish, subscribe and count subscribers are permitted
     * @param keys the number of keys of each call of the script
     */
    static Set<Violation> violatedBy(String script, boolean permitsMessages, int keys) {
        LuaRules rules = new LuaRules(script, permitsMessages, keys);
        rules.check();
        return rules.violations;
    }

    private String token(int i) {
        return i >= 0 && i < this.tokens.size() ? this.tokens.get(i) : "";
    }

    private void check() {
        Deque<String> brackets = new ArrayDeque<>();
        Deque<String> blocks = new ArrayDeque<>();
        boolean isLoopHead = false;
        for (int i = 0; i < this.tokens.size(); i++) {
            String token = token(i);
            switch (token) {
                case "(", "[", "{" -> brackets.push(token);
                case ")", "]", "}" -> brackets.poll();
                case "function", "if", "repeat" -> blocks.push(token);
                case "for", "while" -> {
                    blocks.push(token);
                    isLoopHead = true;
                }
                case "do" -> {
                    if (!isLoopHead) {
                        blocks.push(token);
                    }
                    isLoopHead = false;
                }
                case "end", "until" -> blocks.poll();
                case "redis" -> checkRedis(i, brackets.isEmpty());
                case "KEYS" -> {
                    if (!this.keysOfCalls.contains(i)) {
                        this.violations.add(Violation.KEYS_ELSEWHERE);
                    }
                    if (blocks.stream().anyMatch(Set.of("for", "while", "repeat")::contains)) {
                        this.violations.add(Violation.KEYS_IN_LOOP);
                    }
                }
                default -> {
                    if (isName(token, "unpack")) {
                        this.violations.add(Violation.UNPACK);
                    } else if (EVASIONS.contains(token) || isText(token, "redis", "KEYS", "call", "pcall")) {
                        this.violations.add(Violation.EVASION);
                    }
                }
            }
        }
    }

    private static boolean isName(String token, String name) {
        return token.equals(name) || isText(token, name);
    }

    private static boolean isText(String token, String... texts) {
        return isText(token) && List.of(texts).contains(content(token));
    }

    private static boolean isText(String token) {
        return token.startsWith("'") || token.startsWith("\"") || token.startsWith("[[") || token.startsWith("[=");
    }

    private static String content(String text) {
        return text.startsWith("[") ? text.replaceAll("^\\[=*\\[|\\]=*\\]$", "") : text.substring(1, text.length() - 1);
    }

    private void checkRedis(int i, boolean isOutsideBrackets) {
        if (!token(i + 1).equals(".")) {
            this.violations.add(Violation.EVASION);
            return;
        }
        if (!token(i + 2).equals("call") && !token(i + 2).equals("pcall")) {
            return;
        }
        if (!token(i + 3).equals("(")) {
            this.violations.add(Violation.CALL_AS_VALUE);
            return;
        }
        if (!isOutsideBrackets || (!isStatement(i - 1) && !isAssigned(i - 1))) {
            this.violations.add(Violation.CALL_IN_EXPRESSION);
        }
        checkArguments(i + 4);
    }

    /** Returns whether a statement can begin after that token. */
    private boolean isStatement(int before) {
        String token = token(before);
        return token.isEmpty() || BEFORE_STATEMENT.contains(token) || isOperand(token);
    }

    /** Returns whether the token ends with the value of a variable, which must be a name alone. */
    private boolean isAssigned(int before) {
        return token(before).equals("=")
                && isOperand(token(before - 1))
                && Character.isJavaIdentifierStart(token(before - 1).charAt(0))
                && !Set.of(".", ",", ":").contains(token(before - 2));
    }

    private static boolean isOperand(String token) {
        return !token.isEmpty()
                && !KEYWORDS.contains(token)
                && (isText(token) || Character.isLetterOrDigit(token.charAt(0)) || token.charAt(0) == '_');
    }

    private void checkArguments(int first) {
        String command = isText(token(first)) ? content(token(first)).toUpperCase(Locale.ROOT) : "";
        boolean isAlone = token(first + 1).equals(",") || token(first + 1).equals(")");
        if (command.isEmpty() || !isAlone) {
            this.violations.add(Violation.COMMAND_NOT_LITERAL);
        }
        if (MESSAGES.contains(command)) {
            if (!this.permitsMessages) {
                this.violations.add(Violation.MESSAGE);
            }
        } else if (!KEYLESS.contains(command)) {
            checkKey(first + 2);
        }
        int depth = 1;
        int end = first;
        while (depth > 0 && end < this.tokens.size()) {
            depth += Set.of("(", "[", "{").contains(token(end))
                    ? 1
                    : Set.of(")", "]", "}").contains(token(end)) ? -1 : 0;
            end++;
        }
        String next = token(end);
        boolean endsStatement = next.isEmpty() || AFTER_STATEMENT.contains(next) || (isOperand(next) && !isText(next));
        if (!endsStatement) {
            this.violations.add(Violation.CALL_IN_EXPRESSION);
        }
    }

    private void checkKey(int key) {
        boolean isLiteral = token(key).equals("KEYS")
                && token(key + 1).equals("[")
                && token(key + 2).matches("\\d+")
                && token(key + 3).equals("]")
                && (token(key + 4).equals(",") || token(key + 4).equals(")"));
        if (!isLiteral) {
            this.violations.add(Violation.KEY_NOT_LITERAL);
            return;
        }
        this.keysOfCalls.add(key);
        int number = Integer.parseInt(token(key + 2));
        if (number < 1 || number > this.keys) {
            this.violations.add(Violation.NO_SUCH_KEY);
        }
    }
}
