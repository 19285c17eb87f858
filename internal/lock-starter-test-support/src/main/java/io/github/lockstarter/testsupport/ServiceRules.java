package io.github.lockstarter.testsupport;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies a profile to commands and their replies, for all connections of a proxy. A command that the profile answers
 * is replaced by one that no server has, and the error of that by the answer: so replies keep their order, and a
 * transaction fails as at a server that refuses the command. Scripts get a guard, see {@link GuardedScript}; the
 * client goes on with the SHA1 of its own text, and gets {@code NOSCRIPT} until the proxy has seen this text.
 * Functions ({@code FCALL}) and {@code EVAL_RO} are not checked.
 */
final class ServiceRules {

    /** What is sent instead of a command, and what becomes of the reply. */
    record Passage(RespFrame request, UnaryOperator<RespFrame> reply) {}

    /** The guarded text of a script as the server knows it, and the line of the first command in it. */
    private record Script(String sha, int line) {}

    private static final RespFrame NO_COMMAND =
            RespFrame.of(List.of("ANSWERED-BY-PROXY".getBytes(StandardCharsets.UTF_8)));
    private static final Pattern FIRST_CALL = Pattern.compile("\\bredis\\s*\\.\\s*p?call\\b");
    private static final Set<String> SPLIT = Set.of("DEL", "EXISTS", "MGET", "MSET", "TOUCH", "UNLINK");
    private static final Set<String> OF_KEYS = Set.of(
            "DEL", "EXISTS", "MGET", "RENAME", "RENAMENX", "SDIFF", "SINTER", "SUNION", "TOUCH", "UNLINK", "WATCH");
    private static final Set<String> OF_PAIRS = Set.of("MSET", "MSETNX");
    private static final String NODE = "0".repeat(39) + "1";

    private final ServiceProfile profile;
    private final int port;
    private final @Nullable String guard;
    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private volatile long scalesUntil = System.nanoTime();

    ServiceRules(ServiceProfile profile, int port) {
        this.profile = profile;
        this.port = port;
        this.guard = GuardedScript.isNeededFor(profile) ? GuardedScript.guardOf(profile) : null;
    }

    void scaleFor(Duration time) {
        scalesUntil = System.nanoTime() + time.toNanos();
    }

    /** Whether a subscription without traffic for that long is forgotten. */
    boolean forgetsSubscriptionAfter(long idleNanos) {
        Duration limit = profile.forgetsSubscriptions();
        return limit != null && idleNanos > limit.toNanos();
    }

    Passage passageOf(RespFrame frame) {
        List<String> command = frame.arguments();
        boolean isInvalidScript =
                command.size() < 3 && Commands.named("eval", "evalsha").test(command);
        if (command.isEmpty() || isInvalidScript) {
            return unchanged(frame);
        }
        String name = command.get(0).toUpperCase(Locale.ROOT);
        String answer = answerTo(name, command);
        if (answer != null) {
            return answered(answer);
        }
        return switch (name) {
            case "EVAL" -> eval(frame, command.get(1));
            case "EVALSHA" -> evalsha(frame, command.get(1).toLowerCase(Locale.ROOT));
            case "SCRIPT" -> script(frame, command);
            case "INFO" ->
                new Passage(frame, reply -> reply.value() instanceof String text ? reply.withText(info(text)) : reply);
            default -> unchanged(frame);
        };
    }

    private static Passage unchanged(RespFrame frame) {
        return new Passage(frame, reply -> reply);
    }

    private static Passage answered(String frame) {
        RespFrame answer = RespFrame.ofText(frame);
        return new Passage(NO_COMMAND, reply -> answer);
    }

    /** Returns the reply that the profile has for the command, as it is sent; null if the server has to reply. */
    private @Nullable String answerTo(String name, List<String> command) {
        String both = command.size() > 1 ? name + ' ' + command.get(1).toUpperCase(Locale.ROOT) : name;
        String error = profile.refused().getOrDefault(name, profile.refused().get(both));
        if (error != null) {
            return error(error.equals(ServiceProfile.UNKNOWN) ? unknown(command) : error);
        }
        if (command.size() > profile.mostArguments()) {
            return error("ERR number of arguments exceeds the limit of " + profile.mostArguments());
        }
        if (profile.ignoresConfigSet() && both.equals("CONFIG SET")) {
            return "+OK\r\n";
        }
        if (profile.answersCluster()) {
            String reply = cluster(both);
            if (reply != null) {
                return reply;
            }
        }
        boolean isScript = name.equals("EVAL") || name.equals("EVALSHA");
        error = isScript ? errorOfScript(name, command) : errorOfKeys(name, command);
        return error != null ? error(error) : null;
    }

    private static String error(String text) {
        return '-' + text + "\r\n";
    }

    private static String unknown(List<String> command) {
        return command.stream()
                .skip(1)
                .map(each -> '\'' + each + "' ")
                .collect(Collectors.joining(
                        "", "ERR unknown command '" + command.get(0) + "', with args beginning with: ", ""));
    }

    /** One node has all slots, and its address is that of the proxy. */
    private @Nullable String cluster(String command) {
        return switch (command) {
            case "CLUSTER SLOTS" ->
                "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n" + bulk("127.0.0.1") + ':' + port + "\r\n" + bulk(NODE);
            case "CLUSTER NODES" ->
                bulk(NODE + " 127.0.0.1:" + port + "@" + port + " myself,master - 0 0 1 connected 0-16383\n");
            case "CLUSTER MYID" -> bulk(NODE);
            case "CLUSTER INFO" -> bulk("cluster_state:ok\r\ncluster_slots_ok:16384\r\n");
            case "READONLY", "READWRITE", "ASKING" -> "+OK\r\n";
            default -> null;
        };
    }

    private static String bulk(String ascii) {
        return "$" + ascii.length() + "\r\n" + ascii + "\r\n";
    }

    private @Nullable String errorOfKeys(String name, List<String> command) {
        String error = profile.commandCrossSlot();
        if (error == null || (profile.splitsCommands() && SPLIT.contains(name))) {
            return null;
        }
        int step = OF_KEYS.contains(name) ? 1 : OF_PAIRS.contains(name) ? 2 : command.size();
        List<String> keys = new ArrayList<>();
        for (int i = 1; i < command.size(); i += step) {
            keys.add(command.get(i));
        }
        return isCrossSlot(keys) ? String.format(error, name.toLowerCase(Locale.ROOT)) : null;
    }

    private static boolean isCrossSlot(List<String> keys) {
        return keys.stream().map(HashSlot::of).distinct().count() > 1;
    }

    private @Nullable String errorOfScript(String name, List<String> command) {
        if (!command.get(2).matches("\\d{1,6}")) {
            // The server has an error for it.
            return null;
        }
        int keys = Integer.parseInt(command.get(2));
        if (keys == 0 && profile.withoutKey() != null) {
            return profile.withoutKey();
        }
        if (profile.scriptCrossSlot() != null
                && 3 + keys <= command.size()
                && isCrossSlot(command.subList(3, 3 + keys))) {
            return profile.scriptCrossSlot();
        }
        boolean isText = name.equals("EVAL");
        String text = isText ? command.get(1) : "";
        if (isText && profile.checksTexts()) {
            String error = ScriptTextCheck.errorOf(text);
            if (error != null) {
                return error;
            }
        }
        if (System.nanoTime() - scalesUntil < 0) {
            String sha = isText ? sha1(text) : command.get(1);
            Script known = scripts.get(sha);
            int line = isText ? lineOfFirstCall(text) : known != null ? known.line : 1;
            return "ERR Script attempted to access a non local key in a cluster node script: " + sha
                    + ", on @user_script:" + line + '.';
        }
        return null;
    }

    private Passage eval(RespFrame frame, String text) {
        if (guard == null) {
            return unchanged(frame);
        }
        String sha = sha1(text);
        String guarded = GuardedScript.guarded(guard, text);
        Script script = remember(sha, text, guarded);
        return new Passage(frame.withArgument(1, guarded), withSha(script.sha, sha));
    }

    private Passage evalsha(RespFrame frame, String sha) {
        if (guard == null) {
            return unchanged(frame);
        }
        Script script = scripts.get(sha);
        return script == null
                ? answered(error("NOSCRIPT No matching script. Please use EVAL."))
                : new Passage(frame.withArgument(1, script.sha), withSha(script.sha, sha));
    }

    private Passage script(RespFrame frame, List<String> command) {
        String subcommand = command.size() > 1 ? command.get(1).toUpperCase(Locale.ROOT) : "";
        if (guard == null || command.size() < 3) {
            return unchanged(frame);
        }
        if (subcommand.equals("LOAD")) {
            String text = command.get(2);
            String error = profile.checksTexts() ? ScriptTextCheck.errorOf(text) : null;
            if (error != null) {
                return answered(error(error));
            }
            String sha = sha1(text);
            String guarded = GuardedScript.guarded(guard, text);
            remember(sha, text, guarded);
            return new Passage(
                    frame.withArgument(2, guarded),
                    reply -> reply.value() instanceof String ? reply.withText(sha) : reply);
        }
        RespFrame request = frame;
        for (int i = 2; subcommand.equals("EXISTS") && i < command.size(); i++) {
            Script known = scripts.get(command.get(i).toLowerCase(Locale.ROOT));
            request = request.withArgument(i, known != null ? known.sha : "0".repeat(40));
        }
        return new Passage(request, reply -> reply);
    }

    private Script remember(String sha, String text, String guarded) {
        return scripts.computeIfAbsent(sha, key -> new Script(sha1(guarded), lineOfFirstCall(text)));
    }

    private static int lineOfFirstCall(String text) {
        Matcher call = FIRST_CALL.matcher(text);
        return call.find() ? text.substring(0, call.start()).split("\n", -1).length : 1;
    }

    /** Errors name the script. */
    private static UnaryOperator<RespFrame> withSha(String ofServer, String ofClient) {
        return reply -> reply.value() instanceof RedisErrorException error
                ? RespFrame.ofText(error(String.valueOf(error.getMessage()).replace(ofServer, ofClient)))
                : reply;
    }

    private String info(String text) {
        String changed = text;
        for (Map.Entry<String, String> each : profile.info().entrySet()) {
            changed = changed.replaceAll(
                    "(?m)^" + each.getKey() + ":[^\r\n]*",
                    each.getKey() + ':' + Matcher.quoteReplacement(each.getValue()));
        }
        return changed;
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
